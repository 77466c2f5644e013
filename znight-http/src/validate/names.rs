//! The names of fields on the wire, told by the build pass: validators know those of the source.

/// The fields of one type that another name leads to.
#[derive(Debug, Clone, Copy)]
pub struct TypeNames {
    /// Those that are called otherwise on the wire, or whose values have such fields.
    pub fields: &'static [FieldNames],
}

/// A field, and where a path goes on behind it.
#[derive(Debug, Clone, Copy)]
pub struct FieldNames {
    /// Its name in the source; its position in a tuple.
    pub field: &'static str,
    /// Its name on the wire; none where its value stands in its place: it is flattened.
    pub wire: Option<&'static str>,
    /// What it holds.
    pub holds: Names,
}

/// A value in a path.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// How many steps (indices, keys of maps) come before its type.
    pub through: u32,
    /// Its type, by its place in the table; none where no name below it differs.
    pub of: Option<u32>,
}

/// The names of one input of a handler.
#[derive(Debug, Clone, Copy)]
pub struct InputNames {
    /// The name of the handler, without `r#`.
    pub handler: &'static str,
    /// Which of its parameters, the receiver not counted.
    pub param: u32,
    /// What it holds.
    pub holds: Names,
}

/// The names of the inputs of one controller.
#[derive(Debug, Clone, Copy)]
pub struct ControllerNames {
    /// The inputs, of those whose names differ.
    pub inputs: &'static [InputNames],
    /// The types they lead to.
    pub types: &'static [TypeNames],
}

impl ControllerNames {
    /// None that differ, or none that are known.
    pub const NONE: Self = Self {
        inputs: &[],
        types: &[],
    };
}

/// The inputs of one route whose names differ.
#[derive(Debug)]
#[cfg_attr(
    not(any(feature = "garde", feature = "validator")),
    expect(dead_code, reason = "without a validator there are no paths to rename")
)]
pub(crate) struct RouteNames {
    inputs: Box<[InputNames]>,
    types: &'static [TypeNames],
}

impl RouteNames {
    /// Those of a handler among those of its controller.
    pub(crate) fn of_handler(names: &ControllerNames, handler: &str) -> Self {
        let handler = handler.strip_prefix("r#").unwrap_or(handler);
        let own = names.inputs.iter().filter(|input| input.handler == handler);
        Self {
            inputs: own.copied().collect(),
            types: names.types,
        }
    }
}

#[cfg(any(feature = "garde", feature = "validator"))]
mod rename {
    use super::{FieldNames, Names, RouteNames};
    use crate::validate::path::Step;

    impl RouteNames {
        /// What a parameter holds, where names below it differ.
        pub(in crate::validate) fn of(&self, param: u32) -> Option<Names> {
            let input = self.inputs.iter().find(|input| input.param == param)?;
            Some(input.holds)
        }

        /// The path on the wire of one by the names of the source.
        pub(in crate::validate) fn wire(&self, mut at: Names, path: Vec<Step>) -> Vec<Step> {
            let mut wire = Vec::with_capacity(path.len());
            for step in path {
                if at.through > 0 {
                    at.through -= 1;
                    wire.push(step);
                    continue;
                }
                if let Some(field) = self.field(at, &step) {
                    wire.extend(field.wire.map(|name| Step::Name(name.to_owned())));
                    at = field.holds;
                } else {
                    wire.push(step);
                    at.of = None;
                }
            }
            wire
        }

        fn field(&self, at: Names, step: &Step) -> Option<&'static FieldNames> {
            let known = self.types.get(usize::try_from(at.of?).ok()?)?;
            known.fields.iter().find(|known| match step {
                Step::Name(name) => known.field == *name,
                Step::Index(index) => known.field.parse() == Ok(*index),
            })
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{FieldNames, Names, RouteNames, Step};
        use crate::validate::{ControllerNames, InputNames, TypeNames};

        const NONE: Names = Names {
            through: 0,
            of: None,
        };

        /// `struct Order { lines: Vec<Line> as "orderLines", #[serde(flatten)] customer: Line }`,
        /// `struct Line { unit_price as "unitPrice", next: Option<Box<Line>>, code: Code }`,
        /// `struct Code(String)`.
        const TYPES: &[TypeNames] = &[
            TypeNames {
                fields: &[
                    FieldNames {
                        field: "lines",
                        wire: Some("orderLines"),
                        holds: Names {
                            through: 1,
                            of: Some(1),
                        },
                    },
                    FieldNames {
                        field: "customer",
                        wire: None,
                        holds: Names {
                            through: 0,
                            of: Some(1),
                        },
                    },
                ],
            },
            TypeNames {
                fields: &[
                    FieldNames {
                        field: "unit_price",
                        wire: Some("unitPrice"),
                        holds: NONE,
                    },
                    FieldNames {
                        field: "next",
                        wire: Some("next"),
                        holds: Names {
                            through: 0,
                            of: Some(1),
                        },
                    },
                    FieldNames {
                        field: "code",
                        wire: Some("code"),
                        holds: Names {
                            through: 0,
                            of: Some(2),
                        },
                    },
                ],
            },
            TypeNames {
                fields: &[FieldNames {
                    field: "0",
                    wire: None,
                    holds: NONE,
                }],
            },
        ];

        fn wire(path: &[Step]) -> Vec<Step> {
            const INPUT: InputNames = InputNames {
                handler: "create",
                param: 1,
                holds: Names {
                    through: 0,
                    of: Some(0),
                },
            };
            let controller = ControllerNames {
                inputs: &[INPUT],
                types: TYPES,
            };
            assert!(RouteNames::of_handler(&controller, "list").of(1).is_none());
            let route = RouteNames::of_handler(&controller, "create");
            assert!(route.of(0).is_none());
            route.wire(route.of(1).unwrap(), path.to_vec())
        }

        #[test]
        fn names_are_replaced_down_to_where_they_are_known() {
            let name = Step::field;
            for (path, expected) in [
                (vec![], vec![]),
                (
                    vec![name("lines"), Step::Index(2), name("unit_price")],
                    vec![name("orderLines"), Step::Index(2), name("unitPrice")],
                ),
                (vec![name("lines")], vec![name("orderLines")]),
                (
                    vec![name("customer"), name("unit_price")],
                    vec![name("unitPrice")],
                ),
                (
                    vec![
                        name("customer"),
                        name("next"),
                        name("next"),
                        name("unit_price"),
                    ],
                    vec![name("next"), name("next"), name("unitPrice")],
                ),
                (
                    vec![name("customer"), name("code"), Step::Index(0)],
                    vec![name("code")],
                ),
                // What the table does not have keeps its name, and so does what is below.
                (
                    vec![name("other"), name("unit_price")],
                    vec![name("other"), name("unit_price")],
                ),
            ] {
                assert_eq!(wire(&path), expected, "{path:?}");
            }
        }
    }
}
