//! The declarations of types, as serde's derives read them.

use super::{
    EnumShape, IssueReason, NamedShape, ObjectShape, Property, RenameRule, SerdeImpl, Shape,
    StructTag, Tagging, VariantContent, VariantShape,
    build::Builder,
    instance::Instance,
    serde::{Both, Said, Word, deprecated, others},
};
use crate::{
    extension::class::{ClassKind, Field, Style, Variant},
    facts::ValueExpr,
    resolve::Ty,
};

impl Builder<'_> {
    /// The shape of a type of the program.
    pub(super) fn declared(&mut self, instance: &Instance<'_>, key: &str) -> NamedShape {
        let (class, ty) = (&instance.class, &instance.ty);
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
        let (serialize, deserialize) = self.serde_impls(instance.item, &derives);
        let site = class.site.clone();
        let (shape, input, fields) = self.at(&site, |builder| {
            builder.directions(instance, &said, (serialize, deserialize))
        });
        NamedShape {
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
        }
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
        let ty = instance.lower(&field.ty.written);
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
