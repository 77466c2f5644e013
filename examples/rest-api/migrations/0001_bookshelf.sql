CREATE TABLE authors (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT    NOT NULL
) STRICT;

CREATE TABLE books (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    isbn      TEXT    NOT NULL UNIQUE,
    title     TEXT    NOT NULL,
    year      INTEGER NOT NULL,
    author_id INTEGER NOT NULL REFERENCES authors (id)
) STRICT;

CREATE INDEX books_by_author ON books (author_id);
