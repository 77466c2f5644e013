//! What the extension adds to the graph, at run time.

use acme_jobs::{Jobs, JobsPlugin, Timed};
use znight::Application;

#[test]
fn the_section_has_every_job_with_its_provider() {
    let graph = acme_app::graph();
    let jobs = graph.section::<Jobs>().expect("the section");
    let found: Vec<(&str, u32, bool, &str)> = jobs
        .entries
        .iter()
        .map(|entry| {
            let type_name = (entry.job.type_name)();
            (entry.name, entry.every, entry.clock.is_some(), type_name)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("backup", 3_600, true, "acme_app::Backup"),
            ("report", 60, true, "acme_app::hidden::Report"),
        ]
    );
}

#[tokio::test]
async fn jobs_are_created_with_the_application_and_intercepted_by_what_the_plugin_brings() {
    let app = Application::builder(acme_app::graph())
        .plugin(JobsPlugin)
        .build()
        .await
        .expect("an application");
    let backup = app.container().get::<acme_app::Backup>().expect("the job");
    assert_eq!(backup.run(), "Clock");
    let timed = app.container().get::<Timed>().expect("the interceptor");
    assert_eq!(timed.labels(), ["nightly run"]);
}

#[test]
fn the_extension_wrote_a_file_of_its_own() {
    assert_eq!(
        acme_app::NAMES,
        "backup acme_app::Backup\nreport acme_app::hidden::Report\n"
    );
}
