//! Methods with interceptors, in every form.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use znight::{
    Invocation, MethodInterceptor, Returned, SyncInvocation, SyncMethodInterceptor, prelude::*,
};

use crate::journal::Journal;

/// Notes what goes through it. It has a dependency of its own.
#[injectable]
#[derive(Debug)]
pub struct Noting {
    journal: Arc<Journal>,
}

static SEVEN: [u32; 1] = [7];

/// What [`Noting`] is told.
#[derive(Debug, Default)]
pub struct NotingOptions {
    /// What stands before each line.
    pub label: Option<String>,
    /// Whether to show arguments and result.
    pub shown: bool,
    /// A number.
    pub level: u8,
}

impl Noting {
    /// One that notes elsewhere.
    pub fn of(journal: Arc<Journal>) -> Self {
        Self { journal }
    }

    fn label(options: &NotingOptions) -> String {
        let label = options.label.as_deref().unwrap_or("-");
        format!("{label}{}", options.level)
    }
}

impl MethodInterceptor for Noting {
    type Options = NotingOptions;

    async fn intercept(&self, call: &mut Invocation<'_>, options: &NotingOptions) -> Returned {
        let label = Self::label(options);
        let arguments: Vec<String> = call
            .arguments()
            .map(|argument| format!("{}={argument:?}", argument.name()))
            .collect();
        self.journal.note(format!(
            "{label} > {}.{}({})",
            call.display_name(),
            call.method(),
            if options.shown {
                arguments.join(", ")
            } else {
                String::new()
            }
        ));
        let returned = call.proceed().await;
        let error = call.error().map(ToString::to_string);
        let result = call.shown_result().map(|result| format!("{result:?}"));
        self.journal.note(match (error, options.shown) {
            (Some(error), _) => format!("{label} ! {error}"),
            (None, true) => format!("{label} < {}", result.unwrap_or_else(|| "..".to_owned())),
            (None, false) => format!("{label} <"),
        });
        returned
    }
}

impl SyncMethodInterceptor for Noting {
    type Options = NotingOptions;

    fn intercept(&self, call: &mut SyncInvocation<'_>, options: &NotingOptions) -> Returned {
        let label = Self::label(options);
        self.journal.note(format!("{label} > {}", call.method()));
        let returned = call.proceed();
        self.journal.note(format!("{label} <"));
        returned
    }
}

/// Changes what goes through it.
#[injectable]
#[derive(Debug)]
pub struct Changing;

impl MethodInterceptor for Changing {
    type Options = ();

    async fn intercept(&self, call: &mut Invocation<'_>, (): &()) -> Returned {
        if let Some(id) = call.argument_mut::<u64>("id") {
            *id += 100;
        }
        let returned = call.proceed().await;
        if let Some(Ok(name)) = call.result_mut::<Result<String, Failure>>() {
            name.push('!');
        }
        returned
    }
}

impl SyncMethodInterceptor for Changing {
    type Options = ();

    fn intercept(&self, call: &mut SyncInvocation<'_>, (): &()) -> Returned {
        if let Some(count) = call.argument_mut::<u32>("count") {
            *count *= 2;
        }
        call.proceed()
    }
}

/// Answers without the method when it knows the answer.
#[injectable]
#[derive(Debug)]
pub struct Knowing;

impl MethodInterceptor for Knowing {
    type Options = ();

    async fn intercept(&self, call: &mut Invocation<'_>, (): &()) -> Returned {
        if call.argument::<u64>("id") == Some(&7) {
            assert!(call.answer(7_u8).is_err(), "of another type");
            let answer: Result<String, Failure> = Ok("seven".to_owned());
            if let Ok(returned) = call.answer(answer) {
                return returned;
            }
        }
        call.proceed().await
    }
}

/// Tries again.
#[injectable]
#[derive(Debug)]
pub struct Retrying;

/// What [`Retrying`] is told.
#[derive(Debug, Default)]
pub struct RetryingOptions {
    /// How many more times.
    pub times: u32,
}

impl MethodInterceptor for Retrying {
    type Options = RetryingOptions;

    async fn intercept(&self, call: &mut Invocation<'_>, options: &RetryingOptions) -> Returned {
        for _ in 0..options.times {
            match call.proceed_with_clones().await {
                Some(returned) if !call.has_failed() => return returned,
                Some(_) => {}
                None => break,
            }
        }
        call.proceed().await
    }
}

/// What may go wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

/// A value without `Debug` and `Clone`.
#[expect(missing_debug_implementations, reason = "a value nobody can show")]
pub struct Opaque(pub u32);

/// How many times more a retried method is called.
pub const TIMES: u32 = 2;

/// A singleton with intercepted methods.
#[injectable]
#[derive(Debug)]
pub struct Directory {
    journal: Arc<Journal>,
    interceptors: Interceptors,
    #[init]
    calls: AtomicU32,
}

impl Directory {
    /// One that is built by hand.
    pub fn of(journal: Arc<Journal>, interceptors: Interceptors) -> Self {
        Self {
            journal,
            interceptors,
            calls: AtomicU32::new(0),
        }
    }

    /// The top-most is the outermost.
    #[intercept(Noting, label = "outer", shown)]
    #[intercept(Changing)]
    #[intercept(Noting, label = "inner", shown, level = 3)]
    pub async fn find(&self, id: u64) -> Result<String, Failure> {
        self.journal.note(format!("find {id}"));
        if id == 100 {
            return Err(Failure("nobody".to_owned()));
        }
        let name = self.name_of(id).await?;
        Ok(name)
    }

    /// Called by `find` as well.
    #[intercept(Noting, label = "name")]
    async fn name_of(&self, id: u64) -> Result<String, Failure> {
        Ok(format!("user {id}"))
    }

    /// Answered by its interceptor for 7.
    #[intercept(Knowing)]
    pub async fn known(&self, id: u64) -> Result<String, Failure> {
        self.journal.note("asked");
        Ok(id.to_string())
    }

    /// Borrows what it is given, and what it returns.
    #[intercept(Noting, label = "borrow", shown)]
    pub async fn longest<'a>(
        &self,
        left: &'a str,
        mut right: Cow<'a, str>,
        opaque: Opaque,
    ) -> Cow<'a, str> {
        if opaque.0 > 1 {
            right.to_mut().push_str("..");
        }
        if left.len() > right.len() {
            Cow::Borrowed(left)
        } else {
            right
        }
    }

    /// Fails twice, then succeeds.
    #[intercept(Retrying, times = TIMES)]
    pub async fn third_time(
        &self,
        text: String,
        (left, right): (u8, u8),
    ) -> Result<String, Failure> {
        match self.calls.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(Failure("not yet".to_owned())),
            _ => Ok(format!("{text} {left} {right}")),
        }
    }

    /// Cannot be repeated: its argument cannot be cloned.
    #[intercept(Retrying, times = 5)]
    pub async fn once(&self, opaque: Opaque) -> Result<u32, Failure> {
        self.journal.note(format!("once {}", opaque.0));
        Err(Failure("no".to_owned()))
    }

    /// Not async.
    #[intercept(Noting, label = "sync")]
    #[intercept(Changing)]
    pub fn repeat(&self, word: &str, count: u32) -> String {
        self.journal.note(format!("repeat {count}"));
        word.repeat(count as usize)
    }

    /// Not async, and borrows from the instance.
    #[intercept(Noting)]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// With a type parameter, and a result nobody can show.
    #[intercept(Noting, shown)]
    pub async fn generic<T: Send + Sync + Copy>(&self, value: T, _flag: bool) -> Opaque
    where
        u32: From<T>,
    {
        Opaque(value.into())
    }

    /// Returns what has no name.
    #[intercept(Noting, label = "words")]
    pub fn words<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        text.split(' ')
    }

    /// The same, later.
    #[intercept(Noting, label = "counts", shown)]
    pub async fn counts(
        &self,
        #[allow(unused, reason = "an attribute of a parameter")] from: u32,
    ) -> impl Iterator<Item = u32> + use<> {
        std::future::ready(from..from + 2).await
    }

    /// Everything that is coerced in a method is coerced in an intercepted one.
    #[intercept(Noting)]
    pub async fn slice(&self) -> &[u32] {
        &SEVEN
    }

    /// As a trait object.
    #[intercept(Noting)]
    pub async fn boxed(&self, early: bool) -> Result<Box<dyn std::fmt::Debug + Send>, Failure> {
        if early {
            return Ok(Box::new("early"));
        }
        Ok(Box::new(1))
    }

    /// As a trait object that is shared.
    #[intercept(Noting)]
    pub async fn shared(&self) -> Option<Arc<dyn std::fmt::Debug + Send + Sync>> {
        Some(Arc::new(2))
    }

    /// Through a dereference.
    #[intercept(Noting)]
    pub async fn text<'a>(&'a self, texts: &'a [String]) -> std::borrow::Cow<'a, str> {
        std::borrow::Cow::Borrowed(&texts[0])
    }

    /// Not async.
    #[intercept(Noting)]
    pub fn first<'a>(&self, texts: &'a [String]) -> Option<&'a str> {
        let first = texts.first()?;
        Some(first)
    }

    /// Not async, as a trait object.
    #[intercept(Noting)]
    pub fn shown(&self) -> Option<&dyn std::fmt::Debug> {
        Some(&self.calls)
    }

    /// Panics.
    #[intercept(Noting, label = "panic")]
    pub async fn explode(&self) -> u32 {
        panic!("boom")
    }
}

/// A trait whose implementation is intercepted.
#[async_trait]
pub trait Greeter: Send + Sync {
    /// Greets.
    async fn greet(&self, name: &str) -> Result<String, Failure>;
    /// Counts.
    fn count(&self, count: u32) -> u32;
}

#[injectable(as(dyn Greeter))]
struct English {
    interceptors: Interceptors,
}

#[async_trait]
impl Greeter for English {
    #[intercept(Noting, label = "greet", shown)]
    async fn greet(&self, name: &str) -> Result<String, Failure> {
        if name.is_empty() {
            return Err(Failure("who?".to_owned()));
        }
        Ok(format!("hello {name}"))
    }

    #[intercept(Changing)]
    fn count(&self, count: u32) -> u32 {
        count
    }
}

/// Lives for a request, made by a constructor.
#[derive(Debug)]
pub struct Visit {
    number: u32,
    interceptors: Interceptors,
}

static VISITS: AtomicU32 = AtomicU32::new(1);

#[injectable(scope = "request")]
impl Visit {
    fn new(interceptors: Interceptors) -> Self {
        Self {
            number: VISITS.fetch_add(1, Ordering::Relaxed),
            interceptors,
        }
    }
}

impl Visit {
    /// Its number.
    #[intercept(Noting, label = "visit")]
    pub async fn number(&self) -> u32 {
        self.number
    }
}

/// New for everybody, made by a factory.
#[derive(Debug)]
pub struct Token {
    interceptors: Interceptors,
}

impl Token {
    /// Its text.
    #[intercept(Noting, label = "token")]
    pub fn text(&self) -> String {
        "token".to_owned()
    }
}

struct Tokens;

#[factory]
impl Tokens {
    #[provides(scope = "transient")]
    fn token(interceptors: Interceptors) -> Token {
        Token { interceptors }
    }
}

/// A controller whose handlers are intercepted.
#[injectable]
struct Intercepted {
    directory: Arc<Directory>,
    interceptors: Interceptors,
}

#[controller("/intercepted")]
impl Intercepted {
    #[get("/{id}")]
    #[intercept(Noting, label = "http", shown)]
    async fn one(&self, #[param] id: u64) -> String {
        self.directory.known(id).await.unwrap_or_default()
    }
}

/// Generic, and intercepted in every instance.
#[derive(Debug)]
pub struct Shelf<T> {
    thing: T,
    interceptors: Interceptors,
}

impl<T: Clone + Send + Sync + 'static> Shelf<T> {
    /// What is on it.
    #[intercept(Noting, label = "shelf")]
    pub async fn thing(&self) -> T {
        self.thing.clone()
    }
}

/// Keeps what a method gave last. It is generic, and so is where it is used.
#[derive(Debug)]
pub struct Keeping<T>(std::sync::Mutex<Option<T>>);

/// What [`Keeping`] is told.
#[derive(Debug, Default)]
pub struct KeepingOptions {
    /// Whether to answer with what is kept.
    pub answer: bool,
}

impl<T: Clone + Send + Sync + 'static> MethodInterceptor for Keeping<T> {
    type Options = KeepingOptions;

    async fn intercept(&self, call: &mut Invocation<'_>, options: &KeepingOptions) -> Returned {
        let kept = self.0.lock().ok().and_then(|kept| kept.clone());
        if let Some(kept) = kept.filter(|_| options.answer)
            && let Ok(returned) = call.answer(kept)
        {
            return returned;
        }
        let returned = call.proceed().await;
        if let (Some(result), Ok(mut kept)) = (call.result::<T>(), self.0.lock()) {
            *kept = Some(result.clone());
        }
        returned
    }
}

/// A generic provider with a generic interceptor.
#[derive(Debug)]
pub struct Counter<T> {
    next: std::sync::Mutex<T>,
    interceptors: Interceptors,
}

impl<T: Clone + Send + Sync + std::ops::AddAssign + From<u8> + 'static> Counter<T> {
    /// The next number, the first time; the same again afterwards.
    #[intercept(Keeping<T>, answer)]
    pub async fn next(&self) -> T {
        let mut next = self.next.lock().expect("no panic");
        *next += T::from(1);
        next.clone()
    }
}

struct Counters;

#[factory]
impl Counters {
    #[provides]
    fn kept() -> Keeping<u64> {
        Keeping(std::sync::Mutex::new(None))
    }

    #[provides]
    fn counter(interceptors: Interceptors) -> Counter<u64> {
        Counter {
            next: std::sync::Mutex::new(0),
            interceptors,
        }
    }
}

struct Shelves;

#[factory]
impl Shelves {
    #[provides]
    fn words(interceptors: Interceptors) -> Shelf<&'static str> {
        Shelf {
            thing: "word",
            interceptors,
        }
    }
}
