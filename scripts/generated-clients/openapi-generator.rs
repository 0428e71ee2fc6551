use openapi::apis::{
    account_content_api, accounts_api, alerts_api, audit_log_api, authentication_api, configuration::Configuration,
    courses_api, events_api, folders_api, registrations_api, webhooks_api, Error,
};
use openapi::models::{self, Problem};
use std::{collections::HashSet, env};

/// The problem of a response that a call refused.
fn expect_problem<T, E: serde::Serialize>(answer: Result<T, Error<E>>, status: i64) -> Problem {
    match answer {
        Err(Error::ResponseError(response)) => {
            assert_eq!(i64::from(response.status.as_u16()), status, "{}", response.content);
            assert!(response.entity.is_some(), "{status} is not typed");
            let problem: Problem = serde_json::from_str(&response.content).unwrap();
            assert_eq!(problem.status, status);
            assert!(problem.r#type.starts_with("urn:coursewire:problem:"));
            problem
        }
        _ => panic!("no {status}"),
    }
}

async fn events_of(api: &Configuration, subtopic: models::Subtopic, account: i64) -> Vec<models::Event> {
    let (subtopic, account) = (Some(subtopic), Some(account));
    let found = events_api::list_events(
        api, None, None, subtopic, account, None, None, None, None, None, None, None, None, None,
    );
    found.await.unwrap().data
}

/// What the latest event is about.
async fn resource_of(api: &Configuration, subtopic: models::Subtopic, account: i64) -> models::Resource {
    let event = events_of(api, subtopic, account).await[0].id;
    *events_api::get_event(api, event).await.unwrap().resource
}

#[tokio::main]
async fn main() {
    let variable = |name: &str| env::var(name).unwrap();
    let mut api = Configuration { base_path: variable("API"), ..Configuration::new() };
    let granted = authentication_api::request_access_token(
        &api,
        "client_credentials",
        None,
        Some(&variable("CLIENT_ID")),
        Some(&variable("CLIENT_SECRET")),
    )
    .await
    .unwrap();
    api.oauth_access_token = Some(granted.access_token);

    let named = |name: &str| models::AccountInput::new(name.to_string());
    let account = accounts_api::create_account(&api, named("Northwind"), None).await.unwrap();
    // A new account has the tag "1". The client does not return headers.
    let changed = accounts_api::update_account(&api, account.id, named("Northwind Traders"), Some("\"1\"")).await;
    assert_eq!(changed.unwrap().name, "Northwind Traders");
    let stale = accounts_api::update_account(&api, account.id, named("Northwind Traders"), Some("\"1\"")).await;
    expect_problem(stale, 412);
    let invalid = expect_problem(accounts_api::create_account(&api, named(" "), None).await, 400);
    assert_eq!(invalid.errors.unwrap()[0].pointer, "/name");
    expect_problem(accounts_api::get_account(&api, 999_999).await, 404);

    let parent = folders_api::create_folder(&api, models::FolderInput::new("Safety".into()), None).await.unwrap();
    let inner = models::FolderInput { parent_id: Some(Some(parent.id)), ..models::FolderInput::new("Fire".into()) };
    folders_api::create_folder(&api, inner, None).await.unwrap();
    expect_problem(folders_api::delete_folder(&api, parent.id, None).await, 409);

    for name in ["a", "b", "c"] {
        accounts_api::create_account(&api, named(name), None).await.unwrap();
    }
    let mut seen = HashSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = accounts_api::list_accounts(&api, Some(2), cursor.as_deref()).await.unwrap();
        seen.extend(page.data.iter().map(|each| each.id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(seen.len() >= 4 && seen.contains(&account.id));

    let mut input =
        models::WebhookInput::new("CRM".into(), models::Topic::Registration, "http://127.0.0.1:9/".into());
    input.focus = Some(vec![models::WebhookFocusInput::new(models::FocusType::Account, account.id)]);
    let webhook = webhooks_api::create_webhook(&api, input.clone(), None).await.unwrap();
    assert_eq!(webhook.focus[0].webhook_focus_id, account.id);
    input.name = "CRM 2".into();
    let put = webhooks_api::update_webhook(&api, webhook.id, input, None, Some("\"1\"")).await.unwrap();
    assert_eq!(put.name, "CRM 2");
    assert_eq!(webhooks_api::get_webhook_statistics(&api, webhook.id).await.unwrap().success_count, 0);
    // Not the union `Message`: the generator makes an enum whose tag serde removes before the variant asks for it.
    let text = std::fs::read_to_string(variable("MESSAGE")).unwrap();
    let message: models::RegistrationStatusUpdated = serde_json::from_str(&text).unwrap();
    assert_eq!(message.resource.registration.score, None);

    let course = courses_api::import_course(&api, variable("PACKAGE").into(), None, None, None).await.unwrap();
    let contents = vec![models::AccountContentInput::new(models::ContentType::Course, course.id)];
    let addition = models::AccountContentAdditionInput::new(contents);
    account_content_api::add_account_content(&api, account.id, addition, None).await.unwrap();
    let mut registration = models::RegistrationInput::new(account.id, "learner-1".into());
    registration.course_id = Some(course.id);
    let registered = registrations_api::create_registration(&api, registration, None).await.unwrap();
    assert_eq!(registered.score, None);

    let created = events_of(&api, models::Subtopic::AccountCreated, account.id).await;
    let found: Vec<_> = created.iter().map(|each| each.account.as_ref().unwrap().id).collect();
    assert_eq!(found, [account.id]);
    registrations_api::launch_registration(&api, &registered.registration_id.to_string(), None, None).await.unwrap();
    let launched = resource_of(&api, models::Subtopic::RegistrationLaunched, account.id).await;
    assert_eq!(launched.registration.unwrap().learner_id, "learner-1");
    assert_eq!(launched.content.unwrap().course.unwrap().id, course.id);
    let added = resource_of(&api, models::Subtopic::ContentAddedToAccount, account.id).await;
    assert_eq!(added.content.unwrap().folder.unwrap().contents[0].id, course.id);
    let mut rule = models::AlertInput::new("Dead letters".into(), models::AlertCondition::MessageDeadLettered);
    let url = Some("http://127.0.0.1:9/".into());
    let target = models::AlertTargetInput { url, ..models::AlertTargetInput::new(models::AlertFormat::Json) };
    rule.target = Some(Some(Box::new(target)));
    let alert = alerts_api::create_alert(&api, rule.clone(), None).await.unwrap();
    rule.enabled = Some(false);
    let disabled = alerts_api::update_alert(&api, alert.id, rule.clone(), Some("\"1\"")).await.unwrap();
    assert!(!disabled.enabled);
    expect_problem(alerts_api::update_alert(&api, alert.id, rule, Some("\"1\"")).await, 412);
    alerts_api::delete_alert(&api, alert.id, None).await.unwrap();
    expect_problem(alerts_api::get_alert(&api, alert.id).await, 404);
    let action = Some(vec![models::AuditAction::WebhookUpdated]);
    let object = Some(models::AuditObjectType::Webhook);
    let object_id = webhook.id.to_string();
    let audited =
        audit_log_api::list_audit_entries(&api, None, None, None, None, action, object, Some(&object_id), None, None);
    let entry = audited.await.unwrap().data.remove(0);
    let renamed = entry.changes.iter().find(|each| each.field == "name").unwrap();
    let value = |name: &str| Some(Some(Box::new(models::AuditValue::String(name.into()))));
    assert_eq!((&renamed.before, &renamed.after), (&value("CRM"), &value("CRM 2")));

    webhooks_api::delete_webhook(&api, webhook.id, None).await.unwrap();
    accounts_api::delete_account(&api, account.id, None).await.unwrap();
}
