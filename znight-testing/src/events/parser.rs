//! Lines into events: section 9.2.6 of the WHATWG's HTML standard.

use std::{collections::VecDeque, mem, time::Duration};

use super::TestEvent;

/// The longest line, in bytes.
const LINE: usize = 1024 * 1024;

/// The most data of one event, in bytes.
const DATA: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads an event stream as it comes, in whatever pieces.
#[derive(Debug, Default)]
pub(super) struct Parser {
    /// The line that has not ended.
    line: Vec<u8>,
    /// The last line ended with a CR, which an LF may still belong to.
    after_cr: bool,
    /// A line has been read, so no byte order mark can come.
    begun: bool,
    id: String,
    event: String,
    data: String,
    last_event_id: String,
    retry: Option<Duration>,
}

impl Parser {
    pub(super) fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Reads a piece; the events that are complete with it go into `events`.
    ///
    /// # Errors
    /// What is too long. The parser is of no use afterwards.
    pub(super) fn feed(
        &mut self,
        mut piece: &[u8],
        events: &mut VecDeque<TestEvent>,
    ) -> Result<(), &'static str> {
        while !piece.is_empty() {
            if mem::take(&mut self.after_cr) && piece[0] == b'\n' {
                piece = &piece[1..];
                continue;
            }
            let end = piece.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (part, rest) = piece.split_at(end.unwrap_or(piece.len()));
            if self.line.len() + part.len() > LINE {
                return Err("a line of the event stream is longer than 1 MiB");
            }
            self.line.extend_from_slice(part);
            if let Some((end, rest)) = rest.split_first() {
                self.after_cr = *end == b'\r';
                let line = mem::take(&mut self.line);
                self.line(&line, events)?;
                // The room of the line is kept for the next one.
                self.line = line;
                self.line.clear();
                piece = rest;
            } else {
                piece = rest;
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        mut line: &[u8],
        events: &mut VecDeque<TestEvent>,
    ) -> Result<(), &'static str> {
        if !mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            events.extend(self.dispatch());
            return Ok(());
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if self.data.len() + value.len() > DATA {
                    return Err("the data of an event is longer than 16 MiB");
                }
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => value.clone_into(&mut self.id),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                if let Ok(milliseconds) = value.parse() {
                    self.retry = Some(Duration::from_millis(milliseconds));
                }
            }
            // A comment has no field; fields nobody knows are ignored.
            _ => {}
        }
        Ok(())
    }

    /// The end of an event; it is none without data.
    fn dispatch(&mut self) -> Option<TestEvent> {
        self.id.clone_into(&mut self.last_event_id);
        let name = mem::take(&mut self.event);
        let mut data = mem::take(&mut self.data);
        if data.is_empty() {
            return None;
        }
        data.pop();
        Some(TestEvent {
            id: self.last_event_id.clone(),
            name: if name.is_empty() {
                "message".to_owned()
            } else {
                name
            },
            data,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, time::Duration};

    use proptest::prelude::*;

    use super::{DATA, LINE, Parser, TestEvent};

    fn event(id: &str, name: &str, data: &str) -> TestEvent {
        TestEvent {
            id: id.to_owned(),
            name: name.to_owned(),
            data: data.to_owned(),
        }
    }

    fn read(text: impl AsRef<[u8]>) -> (Parser, Vec<TestEvent>) {
        let (mut parser, mut events) = (Parser::default(), VecDeque::new());
        let text = text.as_ref();
        parser.feed(text, &mut events).expect("short enough");
        (parser, events.into())
    }

    fn events(text: impl AsRef<[u8]>) -> Vec<TestEvent> {
        read(text).1
    }

    #[test]
    fn the_examples_of_the_standard_are_read_as_it_says() {
        let stocks = "data: YHOO\ndata: +2\ndata: 10\n\n";
        assert_eq!(events(stocks), [event("", "message", "YHOO\n+2\n10")]);

        let (parser, all) = read(
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        );
        assert_eq!(
            all,
            [
                event("1", "message", "first event"),
                event("", "message", "second event"),
                event("", "message", " third event"),
            ]
        );
        assert_eq!(parser.last_event_id(), "");

        let empty = "data\n\ndata\ndata\n\ndata:";
        assert_eq!(
            events(empty),
            [event("", "message", ""), event("", "message", "\n")]
        );

        let spaces = "data:test\n\ndata: test\n\n";
        assert_eq!(
            events(spaces),
            [event("", "message", "test"), event("", "message", "test")]
        );
    }

    #[test]
    fn lines_end_in_three_ways_and_also_between_two_pieces() {
        let expected = [event("", "a", "1\n2"), event("", "message", "3")];
        for end in ["\n", "\r", "\r\n"] {
            let text = ["event: a", "data: 1", "data: 2", "", "data: 3", "", ""].join(end);
            assert_eq!(events(&text), expected, "{end:?}");
        }
        let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
        for piece in ["data: 1\r", "\ndata: 2\r", "\n\r", "\ndata: 3\r"] {
            parser.feed(piece.as_bytes(), &mut ready).expect("short");
        }
        assert_eq!(ready, [event("", "message", "1\n2")]);
        // The CR alone ends the line, whatever comes.
        parser.feed(b"\r", &mut ready).expect("short");
        assert_eq!(ready[1], event("", "message", "3"));
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_beginning_only() {
        assert_eq!(
            events("\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: \u{feff}\n\n"),
            [event("", "message", "1"), event("", "message", "\u{feff}")]
        );
    }

    #[test]
    fn ids_stay_and_names_do_not() {
        let (parser, all) = read(
            "event: a\nid: 1\ndata: x\n\ndata: y\n\nevent: lost\n\ndata: z\nid: n\0\n\nid: 2\n\nid: 3\n",
        );
        assert_eq!(
            all,
            [
                event("1", "a", "x"),
                event("1", "message", "y"),
                event("1", "message", "z"),
            ]
        );
        assert_eq!(parser.last_event_id(), "2", "that of an event without data");
    }

    #[test]
    fn the_time_to_wait_is_digits() {
        assert_eq!(
            read("retry: 1500\n").0.retry(),
            Some(Duration::from_millis(1500))
        );
        for wrong in [
            "retry: 1.5\n",
            "retry: -1\n",
            "retry:\n",
            "retry: 99999999999999999999\n",
        ] {
            assert_eq!(read(wrong).0.retry(), None, "{wrong:?}");
        }
    }

    #[test]
    fn what_is_not_ended_by_an_empty_line_is_no_event() {
        assert_eq!(events("data: 1\n"), []);
        assert_eq!(events("data: 1\n\ndata: 2"), [event("", "message", "1")]);
    }

    #[test]
    fn fields_are_told_by_their_exact_names_and_bytes_that_are_no_text_are_replaced() {
        assert_eq!(
            events(b"Data: 1\n data: 2\ndatas: 3\ndata: \xff\xe2\x82\n\n"),
            [event("", "message", "\u{fffd}\u{fffd}")]
        );
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
        let line = vec![b'x'; LINE];
        assert_eq!(parser.feed(&line, &mut ready), Ok(()));
        let problem = parser.feed(b"x", &mut ready).expect_err("too long");
        assert!(problem.contains("1 MiB"), "{problem}");

        let mut parser = Parser::default();
        let line = format!("data:{}\n", "x".repeat(LINE - 5));
        let refused =
            (0..=DATA / (LINE - 5)).find_map(|_| parser.feed(line.as_bytes(), &mut ready).err());
        assert_eq!(refused, Some("the data of an event is longer than 16 MiB"));
        assert!(ready.is_empty());
    }

    proptest! {
        #[test]
        fn how_a_stream_is_cut_does_not_matter(
            lines in prop::collection::vec(
                ("(data|id|event|retry|:|x)?:? ?[a-c\u{feff}\u{e9}]{0,3}", "\n|\r|\r\n"), 0..20),
            cuts in prop::collection::vec(1_usize..5, 1..40),
        ) {
            let text: String = lines.iter().flat_map(|(line, end)| [&**line, end]).collect();
            let (whole, expected) = read(&text);
            let (mut parser, mut ready) = (Parser::default(), VecDeque::new());
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, later) = rest.split_at((*cut).min(rest.len()));
                parser.feed(piece, &mut ready).expect("short");
                rest = later;
            }
            prop_assert_eq!(Vec::from(ready), expected);
            prop_assert_eq!(parser.last_event_id(), whole.last_event_id());
            prop_assert_eq!(parser.retry(), whole.retry());
        }

        #[test]
        fn what_is_written_is_read(
            written in prop::collection::vec(("[^\r\n\0]{0,6}", "[^\r\n]{0,6}", "[^\r]{0,12}"), 0..8),
        ) {
            let mut text = String::new();
            let mut expected = Vec::new();
            for (id, name, data) in &written {
                text.extend(["id: ", id, "\nevent: ", name, "\n"]);
                for line in data.split('\n') {
                    text.extend(["data: ", line, "\n"]);
                }
                text.push('\n');
                let name = if name.is_empty() { "message" } else { name };
                expected.push(event(id, name, data));
            }
            prop_assert_eq!(events(&text), expected);
        }
    }
}
