//! Signals, in processes of their own: this test binary, run again with one test.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitCode, Stdio},
    sync::Arc,
};

use znight_core::Application;

use crate::support::{Act, Script, Scripted, Sketch};

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
