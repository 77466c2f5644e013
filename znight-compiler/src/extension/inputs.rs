//! What handlers read with fields of its own: whether it is validated, and the names that its fields have
//! on the wire, which validators do not know.

use std::collections::{BTreeMap, BTreeSet};

use znight_contract::ErrorCode;
use znight_syntax::item;

use super::{
    Generation, Item, ItemSource, Node, Validation,
    shape::{NamedShape, ObjectShape, Property, SerdeImpl, Shape, Shapes, VariantContent},
    texts::TextFact,
    validators::Validated,
};
use crate::{
    facts::{ItemKind, PlaceFact, TypeExpr, flat::flat},
    resolve::{ItemId, Program, Ty},
};

/// Types and newtypes within each other beyond this are nothing a validator reports.
const MOST_HOLDERS: usize = 32;

/// Something a handler reads.
#[derive(Debug)]
pub(super) struct InputFact {
    /// Which parameter it is, the receiver not counted.
    param: u32,
    /// As it stands in messages; none where one without a validator is nothing to speak of.
    pub(super) what: Option<String>,
    /// Its type.
    pub(super) ty: TypeExpr,
    /// Where the type stands.
    pub(super) place: PlaceFact,
}

flat!(struct InputFact { param, what, ty, place });

/// A handler of a program.
#[derive(Debug)]
pub(super) struct Handler<'a> {
    /// Its controller.
    pub(super) item: Item<'a>,
    /// Its name.
    pub(super) name: String,
    /// What it reads.
    pub(super) inputs: Vec<InputFact>,
    /// What it reads of texts.
    pub(super) texts: Vec<TextFact>,
}

/// What a route reads with fields of its own and without a schema, which would be all there is to say.
pub(super) fn read(source: &ItemSource<'_>, route: &item::controller::Route) -> Vec<InputFact> {
    use item::ParamSource;
    let params = (0..).zip(&route.params);
    params
        .filter(|(_, param)| param.schema.is_none())
        .filter_map(|(index, param)| {
            let what = match param.source {
                ParamSource::Body => Some("body"),
                ParamSource::AllQuery => Some("query(flatten)"),
                ParamSource::AllPath | ParamSource::AllHeaders => None,
                _ => return None,
            };
            Some(InputFact {
                param: index,
                what: what.map(str::to_owned),
                ty: source.ty(&param.ty),
                place: source.place(&param.ty),
            })
        })
        .collect()
}

/// ZNIGHT017: structs of the program that are read and that nothing validates.
pub(super) fn validate(cx: &mut Validation<'_, '_>, handlers: &[Handler<'_>]) {
    let app = cx.app;
    let validated = Validated::new(app.resolver);
    for handler in handlers {
        let item = &handler.item;
        // A library's own build says what is wrong with its items.
        if !item.program().is_own(item.occurrence.file) {
            continue;
        }
        for input in &handler.inputs {
            let Some(what) = &input.what else { continue };
            let ty = item.resolve(&input.ty);
            // With arguments, they may be all that is to be validated.
            let Some((declared, [])) = declared(&ty) else {
                continue;
            };
            if !has_fields(item.program(), declared) || validated.of(declared).is_some() {
                continue;
            }
            let name = item.program().item_name(declared);
            let place = item.program().place(declared);
            cx.warning(
                ErrorCode::UnvalidatedInput,
                item.at(input.place),
                format!("`{}` takes {name} as it is sent: nothing validates it", handler.name),
                vec![
                    format!(
                        "derive `garde::Validate` for {name} ({place}), with the feature `garde` of znight, or \
                         `validator::Validate` with the feature `validator`"
                    ),
                    format!("or name what checks it: `#[{}]`", with_schema(what)),
                    allow_hint("where every value is welcome"),
                ],
            );
        }
    }
}

/// How to silence it, and when.
pub(super) fn allow_hint(when: &str) -> String {
    format!(
        "or allow it, {when}: `allow = [\"ZNIGHT017\"]` under `[package.metadata.znight]` in Cargo.toml"
    )
}

/// `body(schema = ..)`
pub(super) fn with_schema(what: &str) -> String {
    match what.strip_suffix(')') {
        Some(what) => format!("{what}, schema = ..)"),
        None => format!("{what}(schema = ..)"),
    }
}

/// The type of the program that a value is, or that there are any number of, with its arguments.
pub(super) fn declared(ty: &Ty) -> Option<(ItemId, &[Ty])> {
    match ty {
        Ty::Local(item, args) => Some((*item, args)),
        Ty::Foreign(path, args) => match (path.as_str(), &args[..]) {
            ("std::option::Option" | "std::vec::Vec" | "std::boxed::Box", [inner, ..]) => {
                declared(inner)
            }
            _ => None,
        },
        _ => None,
    }
}

fn has_fields(program: &Program, item: ItemId) -> bool {
    matches!(&program.items[item].fact.kind, ItemKind::Struct(fact) if fact.named)
}

/// The names of all inputs that are validated.
pub(super) fn names(cx: &Generation<'_, '_>, handlers: &[Handler<'_>]) -> Names {
    let validated = Validated::new(cx.app.resolver);
    let mut table = Table::default();
    let mut inputs = Vec::new();
    for handler in handlers {
        for input in &handler.inputs {
            let ty = handler.item.resolve(&input.ty);
            if declared(&ty).is_some_and(|(item, _)| validated.has(item)) {
                let holds = table.add(&ty, || cx.shape(&ty), handler.item.program());
                inputs.push((handler.item.token(), &handler.name, input.param, holds));
            }
        }
    }
    let types = table.renamed();
    let mut names = Names {
        by_controller: BTreeMap::new(),
        types: types.values().cloned().collect(),
    };
    let number = |key: &String| types.keys().position(|known| known == key);
    for fields in &mut names.types {
        for field in fields {
            field.holds.number = field.holds.of.as_ref().and_then(number);
        }
    }
    for (controller, handler, param, mut holds) in inputs {
        holds.number = holds.of.as_ref().and_then(number);
        if holds.number.is_some() {
            let of = names.by_controller.entry(controller).or_default();
            of.push((handler.clone(), param, holds));
        }
    }
    names
}

/// The names of inputs on the wire, as they go into the graph.
#[derive(Debug)]
pub(super) struct Names {
    /// The inputs by the tokens of their controllers: handler, parameter, what it holds.
    by_controller: BTreeMap<String, Vec<(String, u32, Holds)>>,
    types: Vec<Vec<FieldNames>>,
}

/// A value in a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Holds {
    /// How many indices or keys come before its type.
    through: u32,
    /// The type, by its key.
    of: Option<String>,
    /// The same by its place in the table; none where nothing below it is renamed.
    number: Option<usize>,
}

/// A field, and where a path goes on behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FieldNames {
    field: String,
    /// None where the value stands in the place of the field.
    wire: Option<String>,
    holds: Holds,
}

impl Holds {
    fn node(&self) -> Node {
        Node::record(
            "znight::__private::http::Names",
            [
                ("through", Node::number(self.through.into())),
                (
                    "of",
                    Node::option(self.number.map(|number| Node::number(number as i128))),
                ),
            ],
        )
    }
}

impl Names {
    /// The inputs of a controller.
    pub(super) fn inputs_of(&self, item: &Item<'_>) -> Node {
        let inputs = self.by_controller.get(&item.token());
        let inputs = inputs.into_iter().flatten();
        Node::list(inputs.map(|(handler, param, holds)| {
            Node::record(
                "znight::__private::http::InputNames",
                [
                    ("handler", Node::text(handler)),
                    ("param", Node::number((*param).into())),
                    ("holds", holds.node()),
                ],
            )
        }))
    }

    /// The table of types.
    pub(super) fn types(&self) -> Node {
        Node::list(self.types.iter().map(|fields| {
            let fields = fields.iter().map(|field| {
                Node::record(
                    "znight::__private::http::FieldNames",
                    [
                        ("field", Node::text(&field.field)),
                        ("wire", Node::option(field.wire.as_deref().map(Node::text))),
                        ("holds", field.holds.node()),
                    ],
                )
            });
            Node::record(
                "znight::__private::http::TypeNames",
                [("fields", Node::list(fields))],
            )
        }))
    }
}

/// The fields of every type that inputs lead to.
#[derive(Debug, Default)]
struct Table {
    types: BTreeMap<String, Vec<FieldNames>>,
    /// The inputs that are in it, by their tokens.
    inputs: BTreeMap<String, Holds>,
}

impl Table {
    /// Adds an input.
    fn add(&mut self, ty: &Ty, shapes: impl FnOnce() -> Shapes, program: &Program) -> Holds {
        let token = ty.token(program);
        if let Some(known) = self.inputs.get(&token) {
            return known.clone();
        }
        let shapes = shapes();
        for (key, named) in &shapes.named {
            if !self.types.contains_key(key) {
                self.types.insert(key.clone(), fields(&shapes, named));
            }
        }
        let holds = holds(&shapes, &shapes.root);
        self.inputs.insert(token, holds.clone());
        holds
    }

    /// The types that an input leads to with a field that is called otherwise, or that lead to one: with
    /// these fields alone.
    fn renamed(mut self) -> BTreeMap<String, Vec<FieldNames>> {
        let mut keys: BTreeSet<String> = BTreeSet::new();
        let leads = |field: &FieldNames, keys: &BTreeSet<String>| {
            field.wire.as_ref() != Some(&field.field)
                || field.holds.of.as_ref().is_some_and(|of| keys.contains(of))
        };
        loop {
            let found = self.types.iter().filter(|(key, fields)| {
                !keys.contains(*key) && fields.iter().any(|field| leads(field, &keys))
            });
            let found: Vec<String> = found.map(|(key, _)| key.clone()).collect();
            if found.is_empty() {
                break;
            }
            keys.extend(found);
        }
        let mut types: BTreeMap<String, Vec<FieldNames>> = BTreeMap::new();
        let roots = self.inputs.values().filter_map(|holds| holds.of.clone());
        let mut next: Vec<String> = roots.collect();
        while let Some(key) = next.pop() {
            if !keys.contains(&key) || types.contains_key(&key) {
                continue;
            }
            let mut fields = self.types.remove(&key).unwrap_or_default();
            fields.retain(|field| leads(field, &keys));
            next.extend(fields.iter().filter_map(|field| field.holds.of.clone()));
            types.insert(key, fields);
        }
        types
    }
}

/// The fields of a type.
fn fields(shapes: &Shapes, named: &NamedShape) -> Vec<FieldNames> {
    // What a conversion or a hand reads has names of its own.
    if named.input.is_some() || named.deserialize == SerdeImpl::Written {
        return Vec::new();
    }
    match (&named.shape, &named.fields[..]) {
        (Shape::Object(object), _) => properties(shapes, object),
        (Shape::Enum(of), _) => {
            let variants = of.variants.iter();
            in_all(variants.flat_map(|variant| {
                match variant.input.as_ref().unwrap_or(&variant.content) {
                    VariantContent::Object(object) => properties(shapes, object),
                    VariantContent::Newtype(property) => vec![in_its_place(shapes, property)],
                    VariantContent::Tuple(positions) => positions
                        .iter()
                        .map(|position| FieldNames {
                            field: position.field.clone(),
                            wire: Some(position.field.clone()),
                            holds: Holds::default(),
                        })
                        .collect(),
                    VariantContent::Unit | VariantContent::Opaque(_) => Vec::new(),
                }
            }))
        }
        (_, [only]) => vec![in_its_place(shapes, only)],
        _ => Vec::new(),
    }
}

fn properties(shapes: &Shapes, object: &ObjectShape) -> Vec<FieldNames> {
    let read = object.properties.iter();
    read.filter(|property| !property.skip_deserializing)
        .map(|property| FieldNames {
            field: property.field.clone(),
            wire: (!property.flatten).then(|| property.names.deserialize.clone()),
            holds: holds(shapes, input(property)),
        })
        .collect()
}

/// A field that is all there is to its type.
fn in_its_place(shapes: &Shapes, property: &Property) -> FieldNames {
    FieldNames {
        field: property.field.clone(),
        wire: None,
        holds: holds(shapes, input(property)),
    }
}

/// The fields of variants that mean one thing, whichever variant it is: a path does not say that.
fn in_all(fields: impl Iterator<Item = FieldNames>) -> Vec<FieldNames> {
    let mut found: BTreeMap<String, Option<FieldNames>> = BTreeMap::new();
    for field in fields {
        found
            .entry(field.field.clone())
            .and_modify(|known| {
                if known.as_ref() != Some(&field) {
                    *known = None;
                }
            })
            .or_insert(Some(field));
    }
    found.into_values().flatten().collect()
}

fn input(property: &Property) -> &Shape {
    property.input.as_ref().unwrap_or(&property.shape)
}

/// The type a value holds, behind lists and maps.
fn holds(shapes: &Shapes, shape: &Shape) -> Holds {
    let (mut at, mut through) = (shape, 0);
    for _ in 0..MOST_HOLDERS {
        at = match at {
            Shape::Option(inner) => inner,
            Shape::List(list) => {
                through += 1;
                &list.items
            }
            Shape::Map(_, value) => {
                through += 1;
                value
            }
            Shape::Named(key) => match shapes.named.get(key) {
                // garde leaves no step for it.
                Some(named) if is_transparent(named) => match &named.fields[..] {
                    [only] => input(only),
                    _ => break,
                },
                Some(_) => {
                    return Holds {
                        through,
                        of: Some(key.clone()),
                        number: None,
                    };
                }
                None => break,
            },
            _ => break,
        };
    }
    Holds::default()
}

fn is_transparent(named: &NamedShape) -> bool {
    let mut attributes = named.attributes.iter();
    attributes.any(|attribute| attribute.path == "garde" && attribute.has("transparent"))
}
