//! The declarations of types, as serde's derives read them.

use std::collections::BTreeMap;

use super::{
    Alias, EnumShape, IssueReason, NamedShape, ObjectShape, Property, RenameRule, SerdeImpl, Shape,
    StructTag, Tagging, VariantContent, VariantShape,
    build::Builder,
    serde::{Both, Said, Word, deprecated, others},
};
use crate::{
    extension::class::{Class, ClassKind, Field, Style, Variant, alias_doc, declaration},
    facts::{ArgumentExpr, ItemKind, PathExpr, TypeExpr, ValueExpr, reading},
    resolve::{Found, ItemId, Resolver, Scope, Substitution, Ty, Value},
};

/// A declaration with arguments for its parameters.
struct Instance<'r> {
    resolver: &'r Resolver<'r>,
    item: ItemId,
    class: Class,
    scope: Scope,
    types: Substitution,
    /// The lengths that const parameters stand for, as texts.
    lengths: BTreeMap<String, String>,
}

impl Builder<'_> {
    /// The shape of a type of the program; none when its declaration cannot be read.
    pub(super) fn declared(&mut self, item: ItemId, ty: &Ty, key: &str) -> Option<NamedShape> {
        let instance = Instance::new(self.resolver, item, ty)?;
        let class = &instance.class;
        let said = Said::read(&class.attributes);
        let derives: Vec<&str> = class
            .attributes
            .iter()
            .filter(|attribute| attribute.path == "derive")
            .flat_map(|attribute| &attribute.arguments)
            .filter_map(|argument| match &argument.written {
                ValueExpr::Path(path) => Some(path.last()),
                _ => None,
            })
            .collect();
        let (serialize, deserialize) = self.serde_impls(item, &derives);
        let site = class.site.clone();
        let (shape, input, fields) = self.at(&site, |builder| {
            builder.directions(&instance, &said, (serialize, deserialize))
        });
        Some(NamedShape {
            key: key.to_owned(),
            name: class.name.clone(),
            display: ty.display(self.resolver.program),
            ty: ty.clone(),
            shape,
            input,
            fallible: said.try_from.is_some(),
            fields,
            remote: said.remote,
            serialize,
            deserialize,
            doc: class.doc.clone(),
            deprecated: deprecated(&class.attributes),
            attributes: others(&class.attributes),
            site,
        })
    }

    /// What is written, what is read where that is something else, and the fields behind it.
    fn directions(
        &mut self,
        instance: &Instance<'_>,
        said: &Said,
        (serialize, deserialize): (SerdeImpl, SerdeImpl),
    ) -> (Shape, Option<Shape>, Vec<Property>) {
        let name = &instance.class.name;
        let convert = |builder: &mut Self, text: &Option<String>| {
            let ty = instance.parsed(text.as_deref()?);
            Some(builder.ty(&ty))
        };
        let by_hand = |builder: &mut Self| {
            Shape::Opaque(builder.unknown(name.clone(), IssueReason::WrittenByHand))
        };
        let output = if serialize == SerdeImpl::Written {
            Some(by_hand(self))
        } else {
            convert(self, &said.into)
        };
        let from = if said.from.is_some() {
            &said.from
        } else {
            &said.try_from
        };
        let input = match (serialize, deserialize) {
            // There is one issue for a type that is written and read by hand.
            (SerdeImpl::Written, SerdeImpl::Written) => output.clone(),
            (_, SerdeImpl::Written) => Some(by_hand(self)),
            _ => convert(self, from),
        };
        match (output, input, deserialize) {
            (Some(output), Some(input), _) => {
                let input = (input != output).then_some(input);
                (output, input, Vec::new())
            }
            // What is written by hand and never read has no other shape.
            (Some(output), None, SerdeImpl::Unseen) => (output, None, Vec::new()),
            (Some(output), None, _) => {
                let (own, fields) = self.own(instance, said);
                (output, Some(own), fields)
            }
            // A type that is only read is what is read.
            (None, Some(input), _) if serialize == SerdeImpl::Unseen => (input, None, Vec::new()),
            (None, input, _) => {
                let (own, fields) = self.own(instance, said);
                (own, input, fields)
            }
        }
    }

    /// The structure that the declaration itself has.
    fn own(&mut self, instance: &Instance<'_>, said: &Said) -> (Shape, Vec<Property>) {
        let class = &instance.class;
        match class.kind {
            ClassKind::Enum => (Shape::Enum(self.variants(instance, said)), Vec::new()),
            ClassKind::Struct => self.structure(instance, said),
            _ => {
                let text = class.name.clone();
                let opaque = self.unknown(text, IssueReason::Union);
                (Shape::Opaque(opaque), Vec::new())
            }
        }
    }

    fn structure(&mut self, instance: &Instance<'_>, said: &Said) -> (Shape, Vec<Property>) {
        let class = &instance.class;
        if said.has(Word::Transparent)
            && let Some(field) = instance.transparent()
        {
            let property = self.property(instance, field, &said.rename_all);
            return (property.shape.clone(), vec![property]);
        }
        match (class.style, &class.fields[..]) {
            (Style::Unit, _) => (Shape::Unit, Vec::new()),
            // serde writes the one field whatever its attributes say.
            (Style::Tuple, [field]) => {
                let property = self.property(instance, field, &Both::default());
                (property.shape.clone(), vec![property])
            }
            (Style::Tuple, fields) => {
                let fields = self.properties(instance, fields, &Both::default());
                (Shape::Tuple(written(&fields)), fields)
            }
            (Style::Named, fields) => {
                let mut object = self.object(instance, fields, &said.rename_all, said);
                object.tag = said.tag.as_ref().map(|tag| StructTag {
                    property: tag.clone(),
                    value: said.names(&class.name, &Both::default(), RenameRule::variant),
                });
                (Shape::Object(object), Vec::new())
            }
        }
    }

    fn object(
        &mut self,
        instance: &Instance<'_>,
        fields: &[Field],
        rules: &Both<RenameRule>,
        said: &Said,
    ) -> ObjectShape {
        ObjectShape {
            properties: self.properties(instance, fields, rules),
            tag: None,
            deny_unknown_fields: said.has(Word::DenyUnknownFields),
            default: said.default.clone(),
        }
    }

    /// The fields that are written or read.
    fn properties(
        &mut self,
        instance: &Instance<'_>,
        fields: &[Field],
        rules: &Both<RenameRule>,
    ) -> Vec<Property> {
        fields
            .iter()
            .filter(|field| {
                let said = Said::read(&field.attributes);
                !said.has(Word::SkipSerializing) || !said.has(Word::SkipDeserializing)
            })
            .map(|field| self.property(instance, field, rules))
            .collect()
    }

    fn property(
        &mut self,
        instance: &Instance<'_>,
        field: &Field,
        rules: &Both<RenameRule>,
    ) -> Property {
        let said = Said::read(&field.attributes);
        let ty = instance.ty(&field.ty.written);
        let step = format!(".{}", field.name);
        let (shape, input) = self.step(&step, |builder| {
            builder.at(&field.ty.site, |builder| {
                builder.field(instance, &said, &ty)
            })
        });
        Property {
            field: field.name.clone(),
            names: said.names(&field.name, rules, RenameRule::field),
            shape,
            input,
            written: field.ty.written.to_string(),
            alias: instance.alias(&field.ty.written),
            skip_serializing: said.has(Word::SkipSerializing),
            skip_deserializing: said.has(Word::SkipDeserializing),
            flatten: said.has(Word::Flatten),
            skip_serializing_if: said.skip_serializing_if,
            default: said.default,
            doc: field.doc.clone(),
            deprecated: deprecated(&field.attributes),
            attributes: others(&field.attributes),
            site: field.site.clone(),
        }
    }

    /// What is written of a field, and what is read where that is something else.
    fn field(&mut self, instance: &Instance<'_>, said: &Said, ty: &Ty) -> (Shape, Option<Shape>) {
        // A type that stands for one of another crate: its derived functions are used.
        if let Some(with) = &said.with
            && let found @ Ty::Local(..) = instance.parsed(with)
        {
            return (self.ty(&found), None);
        }
        let writes = said.serialize_with.clone();
        let reads = said.deserialize_with.clone();
        let reads = reads.filter(|_| !said.has(Word::SkipDeserializing));
        match (writes, reads) {
            (None, None) => (self.ty(ty), None),
            (Some(writes), reads) => {
                let shape = Shape::Opaque(self.unknown(writes, IssueReason::CustomSerialization));
                let is_read_so = reads.is_some() || said.has(Word::SkipDeserializing);
                (shape, (!is_read_so).then(|| self.ty(ty)))
            }
            (None, Some(reads)) => {
                let shape = self.ty(ty);
                let input = self.unknown(reads, IssueReason::CustomDeserialization);
                (shape, Some(Shape::Opaque(input)))
            }
        }
    }

    fn variants(&mut self, instance: &Instance<'_>, said: &Said) -> EnumShape {
        let variants = instance.class.variants.iter().filter_map(|variant| {
            let step = format!("::{}", variant.name);
            self.step(&step, |builder| {
                builder.at(&variant.site, |builder| {
                    builder.variant(instance, variant, said)
                })
            })
        });
        EnumShape {
            tagging: said.tagging(),
            variants: variants.collect(),
            deny_unknown_fields: said.has(Word::DenyUnknownFields),
        }
    }

    /// A variant; none when it is neither written nor read.
    fn variant(
        &mut self,
        instance: &Instance<'_>,
        variant: &Variant,
        of_enum: &Said,
    ) -> Option<VariantShape> {
        let said = Said::read(&variant.attributes);
        let skip_serializing = said.has(Word::SkipSerializing);
        let skip_deserializing = said.has(Word::SkipDeserializing);
        if skip_serializing && skip_deserializing {
            return None;
        }
        let mut input = None;
        let content = match (&said.serialize_with, &said.deserialize_with) {
            (None, None) => self.content(instance, variant, (&said, of_enum)),
            (Some(writes), reads) => {
                if reads.is_none() {
                    input = Some(self.content(instance, variant, (&said, of_enum)));
                }
                let reason = IssueReason::CustomSerialization;
                VariantContent::Opaque(self.unknown(writes.clone(), reason))
            }
            (None, Some(reads)) => {
                let reason = IssueReason::CustomDeserialization;
                input = Some(VariantContent::Opaque(self.unknown(reads.clone(), reason)));
                self.content(instance, variant, (&said, of_enum))
            }
        };
        Some(VariantShape {
            variant: variant.name.clone(),
            names: said.names(&variant.name, &of_enum.rename_all, RenameRule::variant),
            content,
            input,
            skip_serializing,
            skip_deserializing,
            tagging: said.has(Word::Untagged).then_some(Tagging::Untagged),
            other: said.has(Word::Other),
            doc: variant.doc.clone(),
            deprecated: deprecated(&variant.attributes),
            attributes: others(&variant.attributes),
            site: variant.site.clone(),
        })
    }

    fn content(
        &mut self,
        instance: &Instance<'_>,
        variant: &Variant,
        (said, of_enum): (&Said, &Said),
    ) -> VariantContent {
        match (variant.style, &variant.fields[..]) {
            (Style::Unit, _) => VariantContent::Unit,
            (Style::Tuple, [field]) => {
                let is_skipped = Said::read(&field.attributes).has(Word::SkipSerializing);
                if is_skipped {
                    return VariantContent::Unit;
                }
                let property = self.property(instance, field, &Both::default());
                VariantContent::Newtype(Box::new(property))
            }
            (Style::Tuple, fields) => {
                VariantContent::Tuple(self.properties(instance, fields, &Both::default()))
            }
            (Style::Named, fields) => {
                let rules = said.rename_all.or(&of_enum.rename_all_fields);
                VariantContent::Object(self.object(instance, fields, &rules, of_enum))
            }
        }
    }
}

/// The shapes of the fields of a tuple that are written.
fn written(fields: &[Property]) -> Vec<Shape> {
    fields
        .iter()
        .filter(|field| !field.skip_serializing)
        .map(|field| field.shape.clone())
        .collect()
}

impl<'r> Instance<'r> {
    fn new(resolver: &'r Resolver<'r>, item: ItemId, ty: &Ty) -> Option<Self> {
        let class = declaration(resolver, item)?;
        let Ty::Local(_, args) = ty else { return None };
        let mut scope = Scope::module(resolver.program.items[item].module);
        scope.params = class
            .generics
            .iter()
            .map(|generic| generic.name.clone())
            .collect();
        scope.self_ty = Some(Box::new(ty.clone()));
        let (mut types, mut lengths) = (Substitution::new(), BTreeMap::new());
        for (generic, arg) in class.generics.iter().zip(args) {
            if generic.constant.is_some() {
                let text = length(resolver, arg, &scope);
                lengths.insert(generic.name.clone(), text);
            } else {
                types.insert(generic.name.clone(), arg.clone());
            }
        }
        Some(Self {
            resolver,
            item,
            class,
            scope,
            types,
            lengths,
        })
    }

    /// A type of the declaration.
    fn ty(&self, written: &TypeExpr) -> Ty {
        let ty = self.resolver.ty(&self.pinned(written), &self.scope);
        self.with_lengths(&ty.substitute(&self.types))
    }

    /// A type that an attribute writes as a string.
    fn parsed(&self, text: &str) -> Ty {
        syn::parse_str::<syn::Type>(text).map_or_else(
            |_| Ty::Opaque(text.to_owned()),
            |written| self.ty(&reading::ty(&written)),
        )
    }

    /// The type with the lengths of arrays evaluated, as far as they can be told.
    fn pinned(&self, written: &TypeExpr) -> TypeExpr {
        let all = |types: &[TypeExpr]| types.iter().map(|ty| self.pinned(ty)).collect();
        match written {
            TypeExpr::Array(items, length) => {
                let is_param = matches!(
                    &**length,
                    ValueExpr::Path(path)
                        if path.ident().is_some_and(|name| self.lengths.contains_key(name))
                );
                let length = match self.resolver.evaluate(length, &self.scope) {
                    Ok(Value::Int(length, _)) if !is_param => ValueExpr::Int(length, String::new()),
                    _ => (**length).clone(),
                };
                TypeExpr::Array(Box::new(self.pinned(items)), Box::new(length))
            }
            TypeExpr::Path(path) => TypeExpr::Path(PathExpr {
                absolute: path.absolute,
                segments: path
                    .segments
                    .iter()
                    .cloned()
                    .map(|mut segment| {
                        for arg in &mut segment.args {
                            if let ArgumentExpr::Type(ty) = arg {
                                *ty = self.pinned(ty);
                            }
                        }
                        segment
                    })
                    .collect(),
            }),
            TypeExpr::Pointer(prefix, inner) => {
                TypeExpr::Pointer(prefix.clone(), Box::new(self.pinned(inner)))
            }
            TypeExpr::Tuple(parts) => TypeExpr::Tuple(all(parts)),
            TypeExpr::Slice(items) => TypeExpr::Slice(Box::new(self.pinned(items))),
            other => other.clone(),
        }
    }

    /// The type with const parameters replaced where they are lengths or arguments.
    fn with_lengths(&self, ty: &Ty) -> Ty {
        if self.lengths.is_empty() {
            return ty.clone();
        }
        let all = |types: &[Ty]| types.iter().map(|ty| self.with_lengths(ty)).collect();
        match ty {
            Ty::Local(item, args) => Ty::Local(*item, all(args)),
            Ty::Foreign(path, args) => Ty::Foreign(path.clone(), all(args)),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Pointer(prefix, inner) => {
                Ty::Pointer(prefix.clone(), Box::new(self.with_lengths(inner)))
            }
            Ty::Slice(items, length) => {
                let known = |text: &String| self.lengths.get(text).unwrap_or(text).clone();
                Ty::Slice(
                    Box::new(self.with_lengths(items)),
                    length.as_ref().map(known),
                )
            }
            Ty::Param(name) => match self.lengths.get(name) {
                Some(text) => Ty::Opaque(text.clone()),
                None => ty.clone(),
            },
            other => other.clone(),
        }
    }

    /// The alias of the program that a type is written by, or the type in its `Option`.
    fn alias(&self, written: &TypeExpr) -> Option<Alias> {
        let TypeExpr::Path(path) = written else {
            return None;
        };
        let module = self.resolver.program.items[self.item].module;
        match self.resolver.path(module, &path.names(), path.absolute) {
            Found::Item(item) => {
                let program = self.resolver.program;
                let is_alias = matches!(program.items[item].fact.kind, ItemKind::Alias(..));
                is_alias.then(|| Alias {
                    path: program.item_path(item),
                    doc: alias_doc(self.resolver, item),
                })
            }
            Found::Foreign(found) if found == "std::option::Option" => {
                match &path.segments.last()?.args[..] {
                    [ArgumentExpr::Type(inner)] => self.alias(inner),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The field that a transparent struct is: the others are nothing to serde.
    fn transparent(&self) -> Option<&Field> {
        let fields = &self.class.fields;
        let counts = |field: &&Field| {
            let said = Said::read(&field.attributes);
            let is_marker = matches!(
                &field.ty.ty,
                Ty::Foreign(path, _) if path == "std::marker::PhantomData"
            );
            !is_marker && !said.has(Word::SkipSerializing) && !said.has(Word::SkipDeserializing)
        };
        fields.iter().find(counts).or_else(|| fields.first())
    }
}

/// The length that an argument for a const parameter is, as a text.
fn length(resolver: &Resolver<'_>, arg: &Ty, scope: &Scope) -> String {
    let text = match arg {
        Ty::Opaque(text) | Ty::Missing(text) => text.clone(),
        other => other.token(resolver.program),
    };
    // A name is looked up where the type is declared: elsewhere it may be another one's.
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    let value = syn::parse_str::<syn::Expr>(&text)
        .ok()
        .filter(|_| is_number);
    match value.map(|value| resolver.evaluate(&reading::value(&value), scope)) {
        Some(Ok(Value::Int(length, _))) => length.to_string(),
        _ => text,
    }
}
