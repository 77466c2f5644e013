#![doc = include_str!("errors.md")]
