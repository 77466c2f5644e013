//! The lines of the README.
