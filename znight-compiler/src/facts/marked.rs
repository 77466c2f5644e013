//! What an attribute of ours says of its item, as plain data.

use znight_contract::{ErrorCode, ScopeKind, codes::Severity};

use super::{
    TypeExpr, ValueExpr,
    flat::{Flat, Input, flat},
};
use crate::{cfg::Condition, source::Span};

/// An attribute that is taken to be ours, on its item.
#[derive(Debug)]
pub struct Marked {
    /// Its position among the attributes of the item.
    pub attribute: usize,
    /// The path of the attribute it is taken for: `znight::injectable`.
    pub path: String,
    /// The fingerprint of its arguments.
    pub args: u64,
    /// The fingerprint of the item.
    pub body: u64,
    /// The line the item starts at, attributes included.
    pub line: u32,
    /// Where the item is named.
    pub name: PlaceFact,
    /// What it says.
    pub parsed: Parsed,
    /// Whether a condition inside the item names `test`: unit tests may see another item than users do.
    pub names_test: bool,
    /// What is wrong with the item by itself.
    pub problems: Vec<ProblemFact>,
}

/// What an attribute says; nothing when the item cannot be used at all.
#[derive(Debug)]
pub enum Parsed {
    /// `#[injectable]`
    Injectable(Box<ProviderFact>),
    /// `#[factory]`
    Factory(FactoryFact),
    /// An attribute of an extension.
    Extension(ExtensionFact),
    /// Its problems say why.
    Nothing,
}

impl Parsed {
    /// The type the item is about.
    pub fn self_ty(&self) -> Option<&TypeExpr> {
        match self {
            Self::Injectable(fact) => Some(&fact.self_ty),
            Self::Factory(fact) => Some(&fact.self_ty),
            Self::Extension(fact) => Some(&fact.self_ty),
            Self::Nothing => None,
        }
    }

    /// Its arguments whose values must be known, whatever their conditions.
    pub fn arguments(&self) -> Vec<&ArgumentFact> {
        fn of_provider<'a>(
            args: &'a ProviderArgsFact,
            injections: &'a [InjectionFact],
        ) -> impl Iterator<Item = &'a ArgumentFact> {
            let qualifiers = injections
                .iter()
                .filter_map(|found| found.qualifier.as_ref());
            args.scope.iter().chain(&args.name).chain(qualifiers)
        }
        match self {
            Self::Injectable(fact) => of_provider(&fact.args, &fact.injections).collect(),
            Self::Factory(fact) => {
                let methods = fact.methods.iter();
                methods
                    .flat_map(|method| of_provider(&method.args, &method.params))
                    .collect()
            }
            Self::Extension(fact) => fact.evaluated.iter().collect(),
            Self::Nothing => Vec::new(),
        }
    }

    /// Visits every type that is provided, asked for or declared.
    pub fn each_type(&self, visit: &mut dyn FnMut(&TypeExpr)) {
        match self {
            Self::Injectable(fact) => {
                visit(&fact.self_ty);
                fact.injections
                    .iter()
                    .for_each(|injection| visit(&injection.ty));
                fact.args
                    .declared
                    .iter()
                    .for_each(|declared| visit(&declared.ty));
            }
            Self::Factory(fact) => {
                for method in &fact.methods {
                    method
                        .params
                        .iter()
                        .for_each(|injection| visit(&injection.ty));
                    visit(&method.provided);
                    method
                        .args
                        .declared
                        .iter()
                        .for_each(|declared| visit(&declared.ty));
                }
            }
            Self::Extension(fact) => fact.types.iter().for_each(visit),
            Self::Nothing => {}
        }
    }
}

/// A run of tokens of an annotated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceFact {
    /// Which tokens are counted.
    pub region: Region,
    /// The first token.
    pub first: u32,
    /// The last token.
    pub last: u32,
    /// Where they stand in the file.
    pub span: Span,
}

/// Which tokens of an annotated item a place counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// The arguments of the attribute.
    Args,
    /// The item.
    Item,
}

/// Something wrong with an item by itself.
#[derive(Debug)]
pub struct ProblemFact {
    /// Its code.
    pub code: ErrorCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
    /// Where.
    pub place: PlaceFact,
}

/// An argument whose value must be known: a literal that is sound, or an expression.
#[derive(Debug, Clone)]
pub struct ArgumentFact {
    /// What it says.
    pub value: ValueExpr,
    /// What tells it apart in the record; none for a literal.
    pub key: Option<u64>,
    /// Where it is written.
    pub place: PlaceFact,
}

/// A text and where it is written.
#[derive(Debug)]
pub struct Named {
    /// The text.
    pub text: String,
    /// Where it is written.
    pub place: PlaceFact,
}

/// An `#[injectable]` item.
#[derive(Debug)]
pub struct ProviderFact {
    /// The provided type.
    pub self_ty: TypeExpr,
    /// Where it is written.
    pub self_at: PlaceFact,
    /// The arguments of the attribute.
    pub args: ProviderArgsFact,
    /// What it asks for, in order.
    pub injections: Vec<InjectionFact>,
    /// The `async` of its constructor.
    pub asyncness: Option<PlaceFact>,
}

/// What `#[injectable(..)]` and `#[provides(..)]` have in common.
#[derive(Debug)]
pub struct ProviderArgsFact {
    /// How long an instance lives; a singleton without it.
    pub scope: Option<ArgumentFact>,
    /// The qualifier.
    pub name: Option<ArgumentFact>,
    /// Preferred among several candidates.
    pub primary: bool,
    /// Traits it is declared to implement.
    pub declared: Vec<DeclaredFact>,
}

/// A trait of `as(dyn Trait)`.
#[derive(Debug)]
pub struct DeclaredFact {
    /// The trait object.
    pub ty: TypeExpr,
    /// Where it is written.
    pub place: PlaceFact,
}

/// One injected field or parameter.
#[derive(Debug)]
pub struct InjectionFact {
    /// Its name; none for a field of a tuple struct.
    pub label: Option<String>,
    /// Its type.
    pub ty: TypeExpr,
    /// Where the type is written.
    pub place: PlaceFact,
    /// The qualifier of `#[inject("name")]`.
    pub qualifier: Option<ArgumentFact>,
    /// Its `#[cfg(..)]` conditions.
    pub conditions: Vec<Condition>,
}

/// A `#[factory]` item.
#[derive(Debug)]
pub struct FactoryFact {
    /// The factory's type.
    pub self_ty: TypeExpr,
    /// Where it is written.
    pub self_at: PlaceFact,
    /// Its `#[provides]` methods.
    pub methods: Vec<MethodFact>,
}

/// One `#[provides]` method.
#[derive(Debug)]
pub struct MethodFact {
    /// The method's name.
    pub name: Named,
    /// The arguments of the attribute.
    pub args: ProviderArgsFact,
    /// Injected by value, as a clone.
    pub clone: bool,
    /// The hooks it gives the value.
    pub hooks: HooksFact,
    /// Its `async`.
    pub asyncness: Option<PlaceFact>,
    /// Whether it takes `&self`.
    pub receiver: bool,
    /// Its parameters without the receiver.
    pub params: Vec<InjectionFact>,
    /// The provided type, `Result` and `Option` peeled by name.
    pub provided: TypeExpr,
    /// Where it is written.
    pub provided_at: PlaceFact,
    /// Its `#[cfg(..)]` conditions.
    pub conditions: Vec<Condition>,
}

/// Which hooks a `#[provides]` method gives its value.
#[derive(Debug)]
pub struct HooksFact {
    /// `dispose = path`
    pub dispose: bool,
    /// `on_start = path`
    pub on_start: bool,
}

/// An item under the attribute of an extension.
#[derive(Debug)]
pub struct ExtensionFact {
    /// The type it is about.
    pub self_ty: TypeExpr,
    /// Where that is written.
    pub self_at: PlaceFact,
    /// The arguments the attribute declares, with their names.
    pub arguments: Vec<(Option<String>, ArgumentFact)>,
    /// Arguments whose values the attribute's macro needs.
    pub evaluated: Vec<ArgumentFact>,
    /// Types of providers it names.
    pub types: Vec<TypeExpr>,
    /// What the extension keeps.
    pub data: Vec<u8>,
}

flat!(struct Marked { attribute, path, args, body, line, name, parsed, names_test, problems });
flat!(
    enum Parsed {
        Injectable(a),
        Factory(a),
        Extension(a),
        Nothing,
    }
);
flat!(struct PlaceFact { region, first, last, span });
flat!(
    enum Region {
        Args,
        Item,
    }
);
flat!(struct ProblemFact { code, severity, message, hints, place });
flat!(struct ArgumentFact { value, key, place });
flat!(struct Named { text, place });
flat!(struct ProviderFact { self_ty, self_at, args, injections, asyncness });
flat!(struct ProviderArgsFact { scope, name, primary, declared });
flat!(struct DeclaredFact { ty, place });
flat!(struct InjectionFact { label, ty, place, qualifier, conditions });
flat!(struct FactoryFact { self_ty, self_at, methods });
flat!(struct MethodFact {
    name, args, clone, hooks, asyncness, receiver, params, provided, provided_at, conditions
});
flat!(struct HooksFact { dispose, on_start });
flat!(struct ExtensionFact { self_ty, self_at, arguments, evaluated, types, data });
flat!(struct Span { line, column, end_line, end_column });
flat!(
    enum Severity {
        Warning,
        Error,
    }
);

/// What the contract knows by its words is kept by them.
macro_rules! by_word {
    ($ty:ty, $write:expr, $read:expr) => {
        impl Flat for $ty {
            fn write(&self, out: &mut Vec<u8>) {
                let word: &str = &$write(*self);
                super::flat::text(word, out);
            }

            fn read(input: &mut Input<'_>) -> Option<Self> {
                $read(input.text()?)
            }
        }
    };
}

by_word!(
    ErrorCode,
    |code: ErrorCode| code.to_string(),
    ErrorCode::parse
);
by_word!(ScopeKind, ScopeKind::as_str, ScopeKind::parse);
