//! From syn's types, paths and expressions to plain data.

use quote::ToTokens;
use syn::{
    Expr, GenericArgument, Lit, PathArguments, ReturnType, Type, TypeParamBound, UnOp,
    ext::IdentExt as _, punctuated::Punctuated,
};

use crate::facts::{ArgumentExpr, PathExpr, SegmentExpr, TypeExpr, ValueExpr};

/// A type.
pub(crate) fn ty(written: &Type) -> TypeExpr {
    match written {
        Type::Group(group) => ty(&group.elem),
        Type::Paren(paren) => ty(&paren.elem),
        Type::Path(found) => match &found.qself {
            None => TypeExpr::Path(path(&found.path)),
            Some(qself) => {
                let all = path(&found.path);
                let (of_trait, names) = all
                    .segments
                    .split_at(qself.position.min(all.segments.len()));
                let names = names.iter().map(|segment| segment.name.clone()).collect();
                let of_trait = (!of_trait.is_empty()).then(|| PathExpr {
                    absolute: all.absolute,
                    segments: of_trait.to_vec(),
                });
                TypeExpr::Projection(Box::new(ty(&qself.ty)), of_trait, names)
            }
        },
        // `dyn for<'a> Trait<'a>` is another type than `dyn Trait<'static>`, and lifetimes are not kept.
        Type::TraitObject(object) if object.bounds.iter().any(is_higher_ranked) => {
            TypeExpr::Other(text(written))
        }
        Type::TraitObject(object) => TypeExpr::Dyn(
            object
                .bounds
                .iter()
                .filter_map(|bound| match bound {
                    TypeParamBound::Trait(bound) => Some(path(&bound.path)),
                    _ => None,
                })
                .collect(),
        ),
        Type::Reference(reference) => {
            let lifetime = reference.lifetime.as_ref();
            let lifetime = lifetime.map_or_else(String::new, |lifetime| format!("{lifetime} "));
            let mutable = reference.mutability.map_or("", |_| "mut ");
            let prefix = format!("&{lifetime}{mutable}");
            TypeExpr::Pointer(prefix, Box::new(ty(&reference.elem)))
        }
        Type::Ptr(pointer) => TypeExpr::Pointer("*".to_owned(), Box::new(ty(&pointer.elem))),
        Type::Tuple(tuple) => TypeExpr::Tuple(tuple.elems.iter().map(ty).collect()),
        Type::Slice(slice) => TypeExpr::Slice(Box::new(ty(&slice.elem))),
        Type::Array(array) => {
            TypeExpr::Array(Box::new(ty(&array.elem)), Box::new(value(&array.len)))
        }
        Type::FnPtr(function) => TypeExpr::Function(
            function.inputs.iter().map(|input| ty(&input.ty)).collect(),
            Box::new(output(&function.output)),
        ),
        other => TypeExpr::Other(text(other)),
    }
}

fn is_higher_ranked(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(bound) if bound.lifetimes.is_some())
}

fn output(output: &ReturnType) -> TypeExpr {
    match output {
        ReturnType::Default => TypeExpr::Tuple(Vec::new()),
        ReturnType::Type(_, output) => ty(output),
    }
}

/// A path.
pub(crate) fn path(path: &syn::Path) -> PathExpr {
    PathExpr {
        absolute: path.leading_colon.is_some(),
        segments: path
            .segments
            .iter()
            .map(|segment| SegmentExpr {
                name: segment.ident.unraw().to_string(),
                args: arguments(&segment.arguments),
            })
            .collect(),
    }
}

fn arguments(arguments: &PathArguments) -> Vec<ArgumentExpr> {
    match arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(found) => Some(ArgumentExpr::Type(ty(found))),
                GenericArgument::Const(found) => Some(ArgumentExpr::Const(value(found))),
                GenericArgument::AssocType(assoc) => Some(ArgumentExpr::Assoc(
                    assoc.ident.unraw().to_string(),
                    ty(&assoc.ty),
                )),
                _ => None,
            })
            .collect(),
        PathArguments::Parenthesized(call) => vec![ArgumentExpr::Call(
            call.inputs.iter().map(|input| ty(&input.ty)).collect(),
            output(&call.output),
        )],
    }
}

/// A value.
pub(crate) fn value(written: &Expr) -> ValueExpr {
    let list = |parts: &Punctuated<Expr, syn::Token![,]>| parts.iter().map(value).collect();
    match written {
        Expr::Lit(literal) => self::literal(&literal.lit),
        Expr::Path(found) if found.qself.is_none() => ValueExpr::Path(path(&found.path)),
        Expr::Paren(paren) => value(&paren.expr),
        Expr::Group(group) => value(&group.expr),
        Expr::Reference(reference) => ValueExpr::Ref(Box::new(value(&reference.expr))),
        Expr::Array(array) => ValueExpr::List(list(&array.elems)),
        Expr::Tuple(tuple) => ValueExpr::Tuple(list(&tuple.elems)),
        Expr::Cast(cast) => ValueExpr::Cast(Box::new(value(&cast.expr)), ty(&cast.ty)),
        Expr::Index(index) => {
            ValueExpr::Index(Box::new(value(&index.expr)), Box::new(value(&index.index)))
        }
        Expr::Field(field) => match &field.member {
            syn::Member::Unnamed(index) => {
                ValueExpr::Field(Box::new(value(&field.base)), index.index as usize)
            }
            syn::Member::Named(_) => ValueExpr::Other(text(written)),
        },
        Expr::Unary(unary) => match unary.op {
            UnOp::Neg(_) => ValueExpr::Unary('-', Box::new(value(&unary.expr))),
            UnOp::Not(_) => ValueExpr::Unary('!', Box::new(value(&unary.expr))),
            UnOp::Deref(_) => ValueExpr::Unary('*', Box::new(value(&unary.expr))),
            _ => ValueExpr::Other(text(written)),
        },
        Expr::Binary(binary) => ValueExpr::Binary(
            binary.op.to_token_stream().to_string(),
            Box::new(value(&binary.left)),
            Box::new(value(&binary.right)),
        ),
        Expr::Block(block) if block.label.is_none() => {
            only(&block.block).map_or_else(|| ValueExpr::Other(text(written)), value)
        }
        Expr::If(chosen) => match (only(&chosen.then_branch), &chosen.else_branch) {
            (Some(then), Some((_, otherwise))) => ValueExpr::If(
                Box::new(value(&chosen.cond)),
                Box::new(value(then)),
                Box::new(value(otherwise)),
            ),
            _ => ValueExpr::Other(text(written)),
        },
        Expr::Call(call) => match &*call.func {
            Expr::Path(function) if function.qself.is_none() => {
                ValueExpr::Call(path(&function.path), list(&call.args))
            }
            _ => ValueExpr::Other(text(written)),
        },
        Expr::MethodCall(call) => ValueExpr::Method(
            Box::new(value(&call.receiver)),
            call.method.unraw().to_string(),
            list(&call.args),
        ),
        Expr::Macro(call) if call.mac.path.is_ident("concat") => call
            .mac
            .parse_body_with(Punctuated::<Expr, syn::Token![,]>::parse_terminated)
            .map_or_else(
                |_| ValueExpr::Other(text(written)),
                |parts| ValueExpr::Concat(list(&parts)),
            ),
        Expr::Macro(_) => ValueExpr::Macro(text(written)),
        other => ValueExpr::Other(text(other)),
    }
}

/// The expression a block consists of, if it is nothing else.
fn only(block: &syn::Block) -> Option<&Expr> {
    match &block.stmts[..] {
        [syn::Stmt::Expr(found, None)] => Some(found),
        _ => None,
    }
}

fn literal(literal: &Lit) -> ValueExpr {
    match literal {
        Lit::Str(found) => ValueExpr::Str(found.value()),
        Lit::Int(found) => found.base10_parse().map_or_else(
            |_| ValueExpr::Other(found.to_string()),
            |number| ValueExpr::Int(number, found.suffix().to_owned()),
        ),
        Lit::Float(found) => ValueExpr::Float(found.to_string()),
        Lit::Bool(found) => ValueExpr::Bool(found.value),
        Lit::Char(found) => ValueExpr::Char(found.value()),
        Lit::Byte(found) => ValueExpr::Int(i128::from(found.value()), "u8".to_owned()),
        other => ValueExpr::Other(other.to_token_stream().to_string()),
    }
}

/// Tokens as a person would write them.
pub(crate) fn text(node: &impl ToTokens) -> String {
    let mut out = node.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (">:: ", ">::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        ("& ", "&"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        (" !(", "!("),
        ("' ", "'"),
    ] {
        out = out.replace(from, to);
    }
    out
}
