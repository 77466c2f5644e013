//! Whether JSON has the shape the compiler tells of its type.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use znight_compiler::extension::shape::{
    EnumShape, ObjectShape, Property, Shape, Shapes, Tagging, VariantContent, VariantShape,
};

type Checked = Result<(), String>;

/// Whether a value that serde wrote is what its shape says.
pub(crate) fn conforms(shapes: &Shapes, shape: &Shape, value: &Value) -> Checked {
    let wrong = || Err(format!("{value} is not {shape:?}"));
    let when = |holds: bool| if holds { Ok(()) } else { wrong() };
    match shape {
        Shape::Bool => when(value.is_boolean()),
        Shape::String => when(value.is_string()),
        Shape::Char => when(value.as_str().is_some_and(|text| text.chars().count() == 1)),
        Shape::Integer(integer) => {
            when(value.is_u64() || integer.signed && value.is_i64() || integer.bits == Some(128))
        }
        Shape::Float(_) => when(value.is_f64()),
        Shape::Unit => when(value.is_null()),
        Shape::Option(_) if value.is_null() => Ok(()),
        Shape::Option(inner) => conforms(shapes, inner, value),
        Shape::List(list) => {
            let Some(values) = value.as_array() else {
                return wrong();
            };
            let is_long = list
                .length
                .is_none_or(|length| values.len() as u64 == length);
            when(is_long)?;
            values
                .iter()
                .try_for_each(|value| conforms(shapes, &list.items, value))
        }
        Shape::Tuple(parts) => tuple(shapes, parts.iter(), value),
        Shape::Map(_, of) => {
            let Some(values) = value.as_object() else {
                return wrong();
            };
            values
                .values()
                .try_for_each(|value| conforms(shapes, of, value))
        }
        Shape::Named(key) => conforms(shapes, &shapes.named[key].shape, value),
        Shape::Object(shape) => {
            let Some(values) = value.as_object() else {
                return wrong();
            };
            let mut rest: BTreeSet<&str> = values.keys().map(String::as_str).collect();
            object(shapes, shape, values, &mut rest)?;
            if rest.is_empty() {
                Ok(())
            } else {
                Err(format!("{rest:?} of {value} are not told"))
            }
        }
        Shape::Enum(shape) => one_of(shapes, shape, value),
        other => Err(format!("{other:?} tells nothing")),
    }
}

fn tuple<'a>(
    shapes: &Shapes,
    parts: impl ExactSizeIterator<Item = &'a Shape>,
    value: &Value,
) -> Checked {
    let values = value.as_array().ok_or("a tuple is a list")?;
    if values.len() != parts.len() {
        return Err(format!("{value} has not {} parts", parts.len()));
    }
    parts
        .zip(values)
        .try_for_each(|(part, value)| conforms(shapes, part, value))
}

/// Takes what an object explains off the names that are left.
fn object(
    shapes: &Shapes,
    shape: &ObjectShape,
    values: &Map<String, Value>,
    rest: &mut BTreeSet<&str>,
) -> Checked {
    if let Some(tag) = &shape.tag {
        if values.get(&tag.property) != Some(&Value::from(tag.value.serialize.clone())) {
            return Err(format!("no tag {tag:?}"));
        }
        rest.remove(tag.property.as_str());
    }
    shape
        .properties
        .iter()
        .filter(|property| !property.skip_serializing)
        .try_for_each(|property| {
            if property.flatten {
                return flattened(shapes, property, values, rest);
            }
            let name = property.names.serialize.as_str();
            rest.remove(name);
            match values.get(name) {
                Some(value) => conforms(shapes, &property.shape, value)
                    .map_err(|error| format!("{name}: {error}")),
                None if property.skip_serializing_if.is_some() => Ok(()),
                None => Err(format!("no {name}")),
            }
        })
}

fn flattened(
    shapes: &Shapes,
    property: &Property,
    values: &Map<String, Value>,
    rest: &mut BTreeSet<&str>,
) -> Checked {
    let shape = match &property.shape {
        Shape::Option(inner) => inner,
        other => other,
    };
    match shapes.follow(shape) {
        Shape::Object(shape) => object(shapes, shape, values, rest),
        Shape::Map(_, of) => {
            let left = std::mem::take(rest);
            left.iter()
                .try_for_each(|name| conforms(shapes, of, &values[*name]))
        }
        Shape::Enum(shape) => {
            let Tagging::Internal { tag } = &shape.tagging else {
                return Err("only internal tags are flattened here".to_owned());
            };
            let variant = chosen(shape, &values[tag])?;
            rest.remove(tag.as_str());
            match &variant.content {
                VariantContent::Unit => Ok(()),
                VariantContent::Object(shape) => object(shapes, shape, values, rest),
                VariantContent::Newtype(property) => flattened(shapes, property, values, rest),
                other => Err(format!("{other:?} is not flattened")),
            }
        }
        other => Err(format!("{other:?} is not flattened")),
    }
}

fn chosen<'a>(shape: &'a EnumShape, name: &Value) -> Result<&'a VariantShape, String> {
    let is = |variant: &&VariantShape| {
        !variant.skip_serializing && name.as_str() == Some(&variant.names.serialize)
    };
    let mut variants = shape.variants.iter();
    variants
        .find(is)
        .ok_or_else(|| format!("no variant {name}"))
}

fn one_of(shapes: &Shapes, shape: &EnumShape, value: &Value) -> Checked {
    let mut untagged = shape.variants.iter().filter(|variant| {
        shape.tagging == Tagging::Untagged || variant.tagging == Some(Tagging::Untagged)
    });
    let tagged = match &shape.tagging {
        Tagging::External => external(shapes, shape, value),
        Tagging::Internal { tag } => internal(shapes, shape, tag, value),
        Tagging::Adjacent { tag, content } => adjacent(shapes, shape, (tag, content), value),
        _ => Err(format!("{value} is none of them")),
    };
    tagged.or_else(|error| {
        untagged
            .find(|variant| content(shapes, &variant.content, value).is_ok())
            .map_or(Err(error), |_| Ok(()))
    })
}

fn external(shapes: &Shapes, shape: &EnumShape, value: &Value) -> Checked {
    if value.is_string() {
        return match &chosen(shape, value)?.content {
            VariantContent::Unit => Ok(()),
            other => Err(format!("{value} has no {other:?}")),
        };
    }
    let mut entries = value.as_object().ok_or("no object")?.iter();
    match (entries.next(), entries.next()) {
        (Some((name, inner)), None) => {
            let variant = chosen(shape, &Value::from(name.clone()))?;
            content(shapes, &variant.content, inner)
        }
        _ => Err(format!("{value} is not one property")),
    }
}

fn internal(shapes: &Shapes, shape: &EnumShape, tag: &str, value: &Value) -> Checked {
    let values = value.as_object().ok_or("no object")?;
    let variant = chosen(shape, values.get(tag).ok_or("no tag")?)?;
    let mut rest: BTreeSet<&str> = values.keys().map(String::as_str).collect();
    rest.remove(tag);
    match &variant.content {
        VariantContent::Unit => {}
        VariantContent::Object(shape) => object(shapes, shape, values, &mut rest)?,
        VariantContent::Newtype(property) => flattened(shapes, property, values, &mut rest)?,
        other => return Err(format!("{other:?} under an internal tag")),
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(format!("{rest:?} of {value} are not told"))
    }
}

fn adjacent(
    shapes: &Shapes,
    shape: &EnumShape,
    (tag, inside): (&str, &str),
    value: &Value,
) -> Checked {
    let values = value.as_object().ok_or("no object")?;
    let variant = chosen(shape, values.get(tag).ok_or("no tag")?)?;
    match values.get(inside) {
        Some(inner) => content(shapes, &variant.content, inner),
        None if variant.content == VariantContent::Unit => Ok(()),
        None => Err(format!("{value} has no content")),
    }
}

fn content(shapes: &Shapes, shape: &VariantContent, value: &Value) -> Checked {
    match shape {
        VariantContent::Unit => conforms(shapes, &Shape::Unit, value),
        VariantContent::Newtype(property) => conforms(shapes, &property.shape, value),
        VariantContent::Tuple(parts) => {
            let parts: Vec<&Shape> = parts.iter().map(|part| &part.shape).collect();
            tuple(shapes, parts.into_iter(), value)
        }
        VariantContent::Object(shape) => conforms(shapes, &Shape::Object(shape.clone()), value),
        other => Err(format!("{other:?} tells nothing")),
    }
}
