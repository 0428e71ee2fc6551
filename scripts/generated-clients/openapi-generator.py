import json
import os

import openapi_client as api
from openapi_client.exceptions import ApiException

host = os.environ["API"]
granted = api.AuthenticationApi(api.ApiClient(api.Configuration(host=host))).request_access_token(
    "client_credentials", client_id=os.environ["CLIENT_ID"], client_secret=os.environ["CLIENT_SECRET"]
)
client = api.ApiClient(api.Configuration(host=host, access_token=granted.access_token))
accounts, folders, webhooks = api.AccountsApi(client), api.FoldersApi(client), api.WebhooksApi(client)

account = accounts.create_account(api.AccountInput(name="Northwind"))
tag = accounts.get_account_with_http_info(account.id).headers["etag"]


def change():
    return accounts.update_account(account.id, api.AccountInput(name="Northwind Traders"), if_match=tag)


def expect_problem(status, call):
    try:
        call()
    except ApiException as error:
        problem = error.data
        assert isinstance(problem, api.Problem), problem
        assert error.status == problem.status == status, problem
        assert problem.type.startswith("urn:coursewire:problem:")
        return problem
    raise AssertionError(f"no {status}")


assert change().name == "Northwind Traders"
expect_problem(412, change)
invalid = expect_problem(400, lambda: accounts.create_account(api.AccountInput(name=" ")))
assert invalid.errors[0].pointer == "/name"
expect_problem(404, lambda: accounts.get_account(999_999))

parent = folders.create_folder(api.FolderInput(name="Safety"))
folders.create_folder(api.FolderInput(name="Fire", parent_id=parent.id))
expect_problem(409, lambda: folders.delete_folder(parent.id))

for name in "abc":
    accounts.create_account(api.AccountInput(name=name))
seen, cursor, first = set(), None, True
while first or cursor is not None:
    page = accounts.list_accounts(limit=2, cursor=cursor)
    seen.update(each.id for each in page.data)
    cursor, first = page.next_cursor, False
assert len(seen) >= 4 and account.id in seen

created = webhooks.create_webhook_with_http_info(
    api.WebhookInput(
        name="CRM",
        topic=api.Topic.REGISTRATION,
        target_url="http://127.0.0.1:9/",
        focus=[api.WebhookFocusInput(webhook_focus_type=api.FocusType.ACCOUNT, webhook_focus_id=account.id)],
    )
)
webhook = created.data
assert webhook.focus[0].webhook_focus_id == account.id
# A record can be sent back as it was read.
body = api.WebhookInput.from_dict({**json.loads(webhook.to_json()), "name": "CRM 2"})
assert webhooks.update_webhook(webhook.id, body, if_match=created.headers["etag"]).name == "CRM 2"
assert webhooks.get_webhook_statistics(webhook.id).success_count == 0
tested = webhooks.test_webhook(webhook.id, subtopic=api.Subtopic.REGISTRATION_STATUS_UPDATED)
message = tested.message.actual_instance
assert isinstance(message, api.RegistrationStatusUpdated), message
assert isinstance(message.resource.registration.duration, int)

course = api.CoursesApi(client).import_course(os.environ["PACKAGE"])
contents = [api.AccountContentInput(type=api.ContentType.COURSE, id=course.id)]
api.AccountContentApi(client).add_account_content(account.id, api.AccountContentAdditionInput(contents=contents))
registrations = api.RegistrationsApi(client)
registered = registrations.create_registration(
    api.RegistrationInput(account_id=account.id, course_id=course.id, learner_id="learner-1")
)
assert registered.score is None

events = api.EventsApi(client)
creations = events.list_events(subtopic=api.Subtopic.ACCOUNT_CREATED, account_id=account.id)
assert [event.account.id for event in creations.data] == [account.id]
registrations.launch_registration(registered.registration_id)


def resource_of(subtopic):
    found = events.list_events(subtopic=subtopic, account_id=account.id).data
    return events.get_event(found[0].id).resource


launched = resource_of(api.Subtopic.REGISTRATION_LAUNCHED)
assert launched.registration.learner_id == "learner-1"
assert launched.content.course.id == course.id
assert resource_of(api.Subtopic.CONTENT_ADDED_TO_ACCOUNT).content.folder.contents[0].id == course.id
alerts = api.AlertsApi(client)
target = api.AlertTargetInput(format=api.AlertFormat.JSON, url="http://127.0.0.1:9/")
rule = api.AlertInput(name="Dead letters", condition=api.AlertCondition.MESSAGE_DEAD_LETTERED, target=target)
made = alerts.create_alert_with_http_info(rule)
alert, alert_tag = made.data, made.headers["etag"]
# The record does not have the URL, and an update that omits it keeps it.
body = api.AlertInput.from_dict({**json.loads(alert.to_json()), "enabled": False})
assert alerts.update_alert(alert.id, body, if_match=alert_tag).enabled is False
expect_problem(412, lambda: alerts.update_alert(alert.id, body, if_match=alert_tag))
alerts.delete_alert(alert.id)
expect_problem(404, lambda: alerts.get_alert(alert.id))
audited = api.AuditLogApi(client).list_audit_entries(
    object_type=api.AuditObjectType.WEBHOOK, object_id=str(webhook.id), action=[api.AuditAction.WEBHOOK_UPDATED]
)
[renamed] = [change for change in audited.data[0].changes if change.var_field == "name"]
assert (renamed.before.actual_instance, renamed.after.actual_instance) == ("CRM", "CRM 2")

webhooks.delete_webhook(webhook.id)
accounts.delete_account(account.id)
