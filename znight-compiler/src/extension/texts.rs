//! What handlers read from a text of the request: that its type can be read from one.
//!
//! A type is refused where it is certain that no text is ever read as it. What cannot be seen (types of
//! other crates, conversions, implementations by hand or by a macro) is left to rustc and to the run time.

use std::collections::BTreeMap;

use syn::{ext::IdentExt as _, visit::Visit};
use znight_contract::ErrorCode;
use znight_syntax::item;

use super::{
    Class, ItemSource, Validation,
    inputs::Handler,
    shape::{
        NamedShape, Property, SerdeImpl, Shape, Shapes, Tagging, VariantContent, VariantShape,
    },
};
use crate::{
    analyse::Application,
    facts::{ItemKind, PathExpr, PlaceFact, TypeExpr, flat::flat},
    resolve::{Found, ItemId, Scope, Ty, may_make_names},
};

/// The trait by which a type is read in a way of its own.
const FROM_PARAM: &str = "FromParam";

/// Types and newtypes within each other beyond this are nothing that compiles.
const MOST_HOLDERS: usize = 64;

/// Something a handler reads from texts of one name.
#[derive(Debug)]
pub(super) struct TextFact {
    /// The part of the request.
    part: Part,
    /// The name there.
    name: String,
    /// Its type.
    ty: TypeExpr,
    /// Where the type stands.
    place: PlaceFact,
}

/// A part of the request that texts are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Query,
    Headers,
}

flat!(struct TextFact { part, name, ty, place });
flat!(
    enum Part {
        Path,
        Query,
        Headers,
    }
);

impl Part {
    /// As in "cannot read the query parameter".
    fn noun(self) -> &'static str {
        match self {
            Self::Path => "path parameter",
            Self::Query => "query parameter",
            Self::Headers => "header",
        }
    }

    /// What takes all of the part, and how.
    fn flatten(self) -> (&'static str, &'static str) {
        match self {
            Self::Path => ("path parameters", "#[param(flatten)]"),
            Self::Query => ("query parameters", "#[query(flatten)]"),
            Self::Headers => ("headers", "#[headers(flatten)]"),
        }
    }

    /// How many texts there may be.
    fn texts(self) -> Texts {
        match self {
            Self::Path => Texts::One,
            Self::Query | Self::Headers => Texts::Several,
        }
    }
}

/// How many texts a value is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    One,
    Several,
}

/// What a route reads from texts, without a schema: that reads something else.
pub(super) fn read(source: &ItemSource<'_>, route: &item::controller::Route) -> Vec<TextFact> {
    use item::ParamSource;
    let params = route.params.iter();
    params
        // What is borrowed is reported as that.
        .filter(|param| param.schema.is_none() && !matches!(param.ty, syn::Type::Reference(_)))
        .filter_map(|param| {
            let (part, name) = match &param.source {
                ParamSource::Path { name, .. } => (Part::Path, name),
                ParamSource::Query { name, .. } => (Part::Query, name),
                ParamSource::Header { name } => (Part::Headers, name),
                _ => return None,
            };
            Some(TextFact {
                part,
                name: name.clone(),
                ty: source.ty(&param.ty),
                place: source.place(&param.ty),
            })
        })
        .collect()
}

/// ZNIGHT007: parameters that can never be read.
pub(super) fn validate(cx: &mut Validation<'_, '_>, handlers: &[Handler<'_>]) {
    let app = cx.app;
    let mut own_ways = OwnWays::new(app);
    let mut known: BTreeMap<Ty, Shapes> = BTreeMap::new();
    for handler in handlers {
        let item = &handler.item;
        // A library's own build says what is wrong with its items.
        if !item.program().is_own(item.occurrence.file) {
            continue;
        }
        for text in &handler.texts {
            let ty = item.resolve(&text.ty);
            if !may_be_refused(app, &ty) {
                continue;
            }
            let shapes = known.entry(ty.clone()).or_insert_with(|| cx.shape(&ty));
            let reading = Reading { shapes };
            let Some(refusal) = reading.refuses(&shapes.root, text.part.texts(), 0) else {
                continue;
            };
            let is_identifier = || {
                let of = refusal.of.as_ref().and_then(|of| cx.class_of(of));
                of.is_some_and(|class| is_identifier(&class))
            };
            if own_ways.may_read(&ty, text.part) || is_identifier() {
                continue;
            }
            let hints = hints(&mut own_ways, text.part, &ty, &refusal);
            cx.error(
                ErrorCode::InvalidRoute,
                item.at(text.place),
                format!(
                    "`{}` cannot read the {} `{}`: {}",
                    handler.name,
                    text.part.noun(),
                    text.name,
                    refusal.why
                ),
                hints,
            );
        }
    }
}

/// Whether a type has parts that no text may be read as, from what is known without its declaration.
fn may_be_refused(app: &Application<'_>, ty: &Ty) -> bool {
    match ty {
        Ty::Local(item, args) => {
            let (ItemKind::Struct(fact) | ItemKind::Other(fact)) =
                &app.program().items[*item].fact.kind
            else {
                return false;
            };
            args.is_empty() && fact.derives.iter().any(|derive| derive == "Deserialize")
        }
        Ty::Foreign(path, args) => {
            let is_map = path.ends_with("::HashMap") || path.ends_with("::BTreeMap");
            (is_map && path.starts_with("std::")) || args.iter().any(|arg| may_be_refused(app, arg))
        }
        Ty::Tuple(_) => true,
        Ty::Slice(items, length) => length.is_some() || may_be_refused(app, items),
        _ => false,
    }
}

/// Why a type cannot be read.
#[derive(Debug)]
struct Refusal {
    /// A phrase behind a colon.
    why: String,
    /// What can be done in the declaration of the type.
    way_out: Option<String>,
    /// The type of the program that stands in the way.
    of: Option<Ty>,
    /// Whether it is a record, which all of the part can be taken into.
    is_record: bool,
}

impl Refusal {
    fn new(why: impl Into<String>, named: Option<&NamedShape>) -> Self {
        Self {
            why: why.into(),
            way_out: None,
            of: named.map(|named| named.ty.clone()),
            is_record: false,
        }
    }

    fn record(mut self) -> Self {
        self.is_record = true;
        self
    }

    /// The same of an element of something, for which the whole part cannot be taken.
    fn of_element(mut self) -> Self {
        self.is_record = false;
        self
    }
}

/// Looks for what cannot be read, as the run time reads.
struct Reading<'a> {
    shapes: &'a Shapes,
}

impl Reading<'_> {
    /// Why no text is read as a shape; nothing where one may be, or where it cannot be told.
    fn refuses(&self, shape: &Shape, texts: Texts, depth: usize) -> Option<Refusal> {
        if depth > MOST_HOLDERS {
            return None;
        }
        match shape {
            Shape::Option(inner) => self.refuses(inner, texts, depth + 1),
            Shape::List(list) => match list.length {
                Some(0) => None,
                Some(length) if length > 1 && texts == Texts::One => Some(Refusal::new(
                    format!("an array of {length} values is not read from one text"),
                    None,
                )),
                _ => self
                    .refuses(&list.items, Texts::One, depth + 1)
                    .map(Refusal::of_element),
            },
            Shape::Tuple(parts) => self.tuple(parts.iter(), texts, None, depth),
            Shape::Map(..) => Some(Refusal::new("a map is not read from a text", None).record()),
            Shape::Unit => Some(Refusal::new("`()` is not read from a text", None)),
            Shape::Named(key) => {
                let named = self.shapes.named.get(key)?;
                // What is not derived is read in ways that are not seen.
                if named.deserialize != SerdeImpl::Derived || named.remote.is_some() {
                    return None;
                }
                self.named(named, texts, depth)
            }
            _ => None,
        }
    }

    fn named(&self, named: &NamedShape, texts: Texts, depth: usize) -> Option<Refusal> {
        let shape = named.input.as_ref().unwrap_or(&named.shape);
        match (shape, &named.fields[..]) {
            (Shape::Object(_), _) => {
                let why = format!(
                    "{} is a struct with fields, which a text does not have",
                    named.display
                );
                Some(Refusal::new(why, Some(named)).record())
            }
            (Shape::Enum(of), _) => {
                let variants = of.variants.iter();
                if of.tagging == Tagging::Untagged
                    || variants.clone().any(|variant| variant.tagging.is_some())
                {
                    return None;
                }
                let read = variants.filter(|variant| !variant.skip_deserializing);
                variant_refused(named, &of.tagging, read, texts)
            }
            (Shape::Unit, []) => {
                let why = format!("{} holds nothing that is read from a text", named.display);
                Some(Refusal::new(why, Some(named)))
            }
            // Fields are those of the declaration, which is not what is read.
            (Shape::Tuple(_), [_, ..]) if named.input.is_some() => None,
            (Shape::Tuple(_), fields @ [_, ..]) => {
                let may_be_missing =
                    |field: &&Property| field.skip_deserializing || field.default.is_some();
                if fields.iter().any(|field| may_be_missing(&field)) {
                    return None;
                }
                let parts = fields.iter().map(input);
                self.tuple(parts, texts, Some(named), depth)
            }
            (_, [only]) if named.input.is_none() => {
                if only.skip_deserializing {
                    return None;
                }
                self.refuses(input(only), texts, depth + 1)
            }
            (_, [_, ..]) => None,
            (shape, []) => self.refuses(shape, texts, depth + 1),
        }
    }

    /// Values that are read from a text each.
    fn tuple<'s>(
        &self,
        mut parts: impl ExactSizeIterator<Item = &'s Shape>,
        texts: Texts,
        named: Option<&NamedShape>,
        depth: usize,
    ) -> Option<Refusal> {
        let count = parts.len();
        if count > 1 && texts == Texts::One {
            let why = match named {
                Some(named) => format!(
                    "{} holds {count} values, which are not read from one text",
                    named.display
                ),
                None => format!("a tuple of {count} values is not read from one text"),
            };
            return Some(Refusal::new(why, named));
        }
        parts
            .find_map(|part| self.refuses(part, Texts::One, depth + 1))
            .map(Refusal::of_element)
    }
}

/// Why no text names all variants of an enum.
fn variant_refused<'s>(
    named: &NamedShape,
    tagging: &Tagging,
    mut read: impl Iterator<Item = &'s VariantShape>,
    texts: Texts,
) -> Option<Refusal> {
    let name = &named.display;
    let holds_data =
        |variant: &&VariantShape| match variant.input.as_ref().unwrap_or(&variant.content) {
            VariantContent::Newtype(property) => !property.skip_deserializing,
            VariantContent::Tuple(_) | VariantContent::Object(_) => true,
            _ => false,
        };
    match tagging {
        Tagging::Adjacent { tag, .. } => {
            let why = format!("{name} is told by its field `{tag}`, which a text does not have");
            Some(Refusal::new(why, Some(named)))
        }
        Tagging::Internal { tag } if texts == Texts::One => {
            let why = format!("{name} is told by its field `{tag}`, which a text does not have");
            Some(Refusal::new(why, Some(named)))
        }
        _ => {
            let variant = read.find(holds_data)?;
            let why = format!(
                "`{name}::{}` holds data, which a text does not have",
                variant.variant
            );
            let mut refusal = Refusal::new(why, Some(named));
            refusal.way_out = Some(format!(
                "mark `{}` with `#[serde(skip_deserializing)]`, where no client sends it",
                variant.variant
            ));
            Some(refusal)
        }
    }
}

/// Whether an enum is read as the name of a field or a variant, of which one of its variants may hold the text.
fn is_identifier(class: &Class) -> bool {
    let serde = class
        .attributes
        .iter()
        .filter(|found| found.path == "serde");
    serde.flat_map(|found| &found.arguments).any(|argument| {
        matches!(
            argument.word(),
            Some("field_identifier" | "variant_identifier")
        )
    })
}

/// What is read of a field.
fn input(property: &Property) -> &Shape {
    property.input.as_ref().unwrap_or(&property.shape)
}

/// What to do about it.
fn hints(own_ways: &mut OwnWays<'_>, part: Part, ty: &Ty, refusal: &Refusal) -> Vec<String> {
    let program = own_ways.app.program();
    let shown = |of: &Ty| of.display(program);
    if let Some(of) = &refusal.of
        && own_ways.of_item(of)
    {
        // It has a way of its own, which does not count where it stands.
        let of = shown(of);
        return vec![match part {
            Part::Path => format!("take `{of}` itself: a path parameter is always there, once"),
            Part::Query | Part::Headers => format!(
                "take `{of}`, `Option<{of}>` or `Vec<{of}>`: its `{FROM_PARAM}` does not count within others"
            ),
        }];
    }
    let mut hints = Vec::new();
    if refusal.is_record {
        let (all, flatten) = part.flatten();
        hints.push(format!("take all {all} into it: `{flatten}`"));
    }
    hints.extend(refusal.way_out.clone());
    let or = if hints.is_empty() { "" } else { "or " };
    hints.push(match base(asked(ty, part)) {
        of @ Ty::Local(item, _) => format!(
            "{or}implement `{FROM_PARAM}` for {} ({}), which reads one text",
            shown(of),
            program.place(*item)
        ),
        _ => format!(
            "{or}take a type of your own that implements `{FROM_PARAM}`, which reads one text"
        ),
    });
    hints.push(
        "or take the text as it is, `String`, or the value from the body, `#[body]`".to_owned(),
    );
    hints
}

/// The type that the run time asks for the trait: of a path parameter the type itself, elsewhere that of an
/// option or a list as well.
fn asked(ty: &Ty, part: Part) -> &Ty {
    match (part, ty) {
        (Part::Query | Part::Headers, Ty::Foreign(path, args))
            if matches!(path.as_str(), "std::option::Option" | "std::vec::Vec") =>
        {
            args.first().unwrap_or(ty)
        }
        _ => ty,
    }
}

/// The types that have, or may have, a way of their own to be read from text.
struct OwnWays<'a> {
    app: &'a Application<'a>,
    /// Those with an impl that is seen.
    seen: Vec<ItemId>,
    /// Whether there are impls whose type cannot be told.
    unknown: bool,
    /// What was found out by a closer look.
    looked_at: BTreeMap<ItemId, bool>,
}

impl<'a> OwnWays<'a> {
    fn new(app: &'a Application<'a>) -> Self {
        let resolver = app.resolver;
        let mut found = Self {
            app,
            seen: Vec::new(),
            unknown: false,
            looked_at: BTreeMap::new(),
        };
        for item in &resolver.program.items {
            let ItemKind::Impl(fact) = &item.fact.kind else {
                continue;
            };
            let scope = Scope::module(item.module).with_params(&fact.generics);
            if !item.live.within(resolver.world) || !is_from_param(app, &fact.path, &scope) {
                continue;
            }
            match base(&resolver.ty(&fact.self_ty, &scope)) {
                Ty::Local(of, _) => found.seen.push(*of),
                _ => found.unknown = true,
            }
        }
        found
    }

    /// Whether a parameter of this type may be read in another way than serde's.
    fn may_read(&mut self, ty: &Ty, part: Part) -> bool {
        self.unknown || self.of_item(base(asked(ty, part)))
    }

    /// Whether a type of the program may implement the trait.
    fn of_item(&mut self, ty: &Ty) -> bool {
        let Ty::Local(item, _) = ty else {
            return false;
        };
        if self.seen.contains(item) {
            return true;
        }
        if let Some(known) = self.looked_at.get(item) {
            return *known;
        }
        let may = self.may_be_hidden(*item);
        self.looked_at.insert(*item, may);
        may
    }

    /// Whether a macro may implement it, or an impl inside of a function.
    fn may_be_hidden(&self, item: ItemId) -> bool {
        let program = self.app.program();
        let found = &program.items[item];
        let facade = &program.crate_of(found.module).externs.facade;
        if may_make_names(&found.fact, facade) {
            return true;
        }
        let mut search = Search {
            name: program.item_name(item).to_owned(),
            found: false,
        };
        let krate = program.files[found.file].krate;
        let files = program.files.iter().filter(|file| file.krate == krate);
        for file in files {
            let text = self.app.sources.read(&file.path).unwrap_or_default();
            // Most files name neither the type nor the trait.
            if !text.contains(&search.name) {
                continue;
            }
            match syn::parse_file(&text) {
                Ok(file) => search.visit_file(&file),
                Err(_) => return true,
            }
        }
        search.found
    }
}

/// A type without what a trait may be implemented through.
fn base(ty: &Ty) -> &Ty {
    match ty {
        Ty::Foreign(path, args) if path == "std::boxed::Box" => args.first().map_or(ty, base),
        _ => ty,
    }
}

fn is_from_param(app: &Application<'_>, path: &PathExpr, scope: &Scope) -> bool {
    if path.last() == FROM_PARAM {
        return true;
    }
    let found = app
        .resolver
        .path(scope.module, &path.names(), path.absolute);
    matches!(&found, Found::Foreign(path) if path.rsplit("::").next() == Some(FROM_PARAM))
}

/// Looks for what may implement the trait for a type of this name.
struct Search {
    name: String,
    found: bool,
}

impl Visit<'_> for Search {
    fn visit_item_impl(&mut self, written: &syn::ItemImpl) {
        let is_it = |path: &syn::Path| {
            let last = path.segments.last();
            last.is_some_and(|segment| segment.ident == FROM_PARAM)
        };
        let trait_ = written.trait_.as_ref();
        if trait_.is_some_and(|(path, ..)| is_it(path)) {
            self.found |= names(quote::quote!(#written.self_ty), &self.name);
        }
        syn::visit::visit_item_impl(self, written);
    }

    fn visit_item_macro(&mut self, written: &syn::ItemMacro) {
        self.found |= names(written.mac.tokens.clone(), &self.name);
    }
}

/// Whether tokens have this name among them.
fn names(tokens: proc_macro2::TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident.unraw() == name,
        proc_macro2::TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}
