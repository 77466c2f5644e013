//! Signals, in processes of their own: this test binary, run again with one test.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitCode, Stdio},
    sync::Arc,
};

use znight_core::{Application, Graph};

use crate::support::{Act, Doing, Script, Scripted, Sketch};

/// Which child this process is, when it is one.
const ROLE: &str = "ZNIGHT_TEST_CHILD";

/// Not a test of its own: what the children below run.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let code = runtime.block_on(async {
        #[cfg(unix)]
        if let Some(code) = special(&role).await {
            exit(code);
        }
        let script = Script::new();
        match &*role {
            "hangs" => script.act("p stop", Act::Hang),
            "fails" => script.act("p stop", Act::Fail),
            "boot" => script.act("p register", Act::Fail),
            _ => {}
        }
        Application::builder(Sketch::of(vec![]).graph())
            .provide_value(Arc::clone(&script))
            .plugin(Scripted::new("p", &script))
            .run()
            .await
    });
    let failed = format!("{code:?}") == format!("{:?}", ExitCode::FAILURE);
    exit(i32::from(failed));
}

#[cfg(unix)]
fn say(line: &str) {
    std::io::Write::write_all(&mut std::io::stderr(), format!("{line}\n").as_bytes()).unwrap();
}

/// Children that are not an application with a plugin that does something at its stop.
#[cfg(unix)]
async fn special(role: &str) -> Option<i32> {
    use tokio::signal::unix::{SignalKind, signal};

    let application = Application::builder(Graph::empty());
    let code = match role {
        // Its start goes on when the signal has come.
        "slow" => {
            let slow = Doing::at("slow", "start", |_| async {
                let mut terminate = signal(SignalKind::terminate())?;
                tracing::info!("the hook waits");
                terminate.recv().await;
                // The framework has heard of it by then.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                tracing::info!("the hook goes on");
                Ok(())
            });
            application.plugin(slow).run().await
        }
        "never starts" => {
            let endless = Doing::at("endless", "start", |_| async {
                tracing::info!("the hook waits");
                std::future::pending().await
            });
            application.plugin(endless).run().await
        }
        "ignores signals" => application.signals(false).run().await,
        "only created" => {
            let _application = application.build().await.unwrap();
            say("created");
            std::future::pending().await
        }
        "outlives its application" => {
            tracing_subscriber::fmt()
                .with_writer(std::io::stderr)
                .init();
            let application = application.build().await.unwrap();
            application.start().await.unwrap();
            application.stop().await.unwrap();
            say("it is over");
            let over =
                tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
            over.await.unwrap().unwrap();
            // Whoever still listens to signals hears of them.
            for _ in 0..1_000 {
                tokio::task::yield_now().await;
            }
            return Some(7);
        }
        _ => return None,
    };
    Some(i32::from(
        format!("{code:?}") == format!("{:?}", ExitCode::FAILURE),
    ))
}

#[expect(
    clippy::exit,
    reason = "the code of a test process is the test harness's otherwise"
)]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}

fn spawn(role: &str) -> (Child, Box<dyn BufRead>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "signals::child", "--nocapture"])
        .env(ROLE, role)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    (child, Box::new(log))
}

fn wait_for(log: &mut dyn BufRead, text: &str) {
    let mut line = String::new();
    while log.read_line(&mut line).unwrap() > 0 {
        if line.contains(text) {
            return;
        }
        line.clear();
    }
    panic!("the child ended without saying {text:?}");
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_application() {
    for name in ["-TERM", "-INT"] {
        let (mut child, mut log) = spawn("quiet");
        wait_for(&mut *log, "application ready");
        signal(&child, name);
        wait_for(&mut *log, "application stopped");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_shutdown_that_fails_after_a_signal_is_exit_code_1() {
    let (mut child, mut log) = spawn("fails");
    wait_for(&mut *log, "application ready");
    signal(&child, "-TERM");
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(
        rest.contains("ZNIGHT021: `on_stop` of the plugin p failed"),
        "{rest}"
    );
}

#[cfg(unix)]
#[test]
fn a_second_signal_exits_at_once() {
    let (mut child, mut log) = spawn("hangs");
    wait_for(&mut *log, "application ready");
    signal(&child, "-INT");
    wait_for(&mut *log, "received SIGINT, stopping");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(unix)]
#[test]
fn a_stop_by_a_signal_is_logged_once_at_info() {
    let (mut child, mut log) = spawn("quiet");
    wait_for(&mut *log, "application ready");
    signal(&child, "-TERM");
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let stopped: Vec<&str> = rest
        .lines()
        .filter(|line| line.contains("application stopped"))
        .collect();
    assert_eq!(stopped.len(), 1, "{rest}");
    assert!(stopped[0].contains(" INFO znight::application: "), "{rest}");
}

#[cfg(unix)]
#[test]
fn a_signal_during_the_start_stops_the_application_when_the_start_is_over() {
    let (mut child, mut log) = spawn("slow");
    wait_for(&mut *log, "the hook waits");
    signal(&child, "-TERM");
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let place = |text: &str| rest.find(text);
    assert!(place("received SIGTERM, stopping") < place("the hook goes on"));
    assert!(place("the hook goes on") < place("application stopped"));
    assert!(place("received").is_some() && place("application ready").is_none());
}

#[cfg(unix)]
#[test]
fn a_second_signal_during_a_start_that_does_not_end_exits_at_once() {
    let (mut child, mut log) = spawn("never starts");
    wait_for(&mut *log, "the hook waits");
    signal(&child, "-TERM");
    wait_for(&mut *log, "received SIGTERM, stopping");
    signal(&child, "-INT");
    wait_for(&mut *log, "received SIGINT again, exiting at once");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(unix)]
#[test]
fn before_the_start_and_when_they_are_off_signals_have_their_default_action() {
    use std::os::unix::process::ExitStatusExt as _;

    for (role, ready) in [
        ("only created", "created"),
        ("ignores signals", "application ready"),
    ] {
        let (mut child, mut log) = spawn(role);
        wait_for(&mut *log, ready);
        signal(&child, "-TERM");
        assert_eq!(child.wait().unwrap().signal(), Some(15), "{role}");
    }
}

#[cfg(unix)]
#[test]
fn after_the_stop_signals_are_nobodys() {
    let (mut child, mut log) = spawn("outlives its application");
    wait_for(&mut *log, "it is over");
    signal(&child, "-TERM");
    drop(child.stdin.take());
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert!(!rest.contains("received"), "{rest}");
}

#[test]
fn a_failed_boot_is_seen_and_is_exit_code_1() {
    let (mut child, mut log) = spawn("boot");
    let mut all = String::new();
    log.read_to_string(&mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(
        all.contains("ZNIGHT021: `register` of the plugin p failed"),
        "{all}"
    );
    assert!(all.contains("cause: p register failed"), "{all}");
}
