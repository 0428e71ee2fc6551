import os

from client import AuthenticatedClient, Client
from client.api.account_content import add_account_content
from client.api.alerts import create_alert, delete_alert, get_alert, update_alert
from client.api.audit_log import list_audit_entries
from client.api.accounts import create_account, delete_account, get_account, list_accounts, update_account
from client.api.authentication import request_access_token
from client.api.courses import import_course
from client.api.events import get_event, list_events
from client.api.folders import create_folder, delete_folder
from client.api.registrations import create_registration, launch_registration
from client.api.webhooks import create_webhook, delete_webhook, get_webhook_statistics, test_webhook, update_webhook
from client.models import (
    AccessTokenRequest,
    AccessTokenRequestGrantType,
    AccountContentAdditionInput,
    AccountContentInput,
    AccountInput,
    AlertCondition,
    AlertFormat,
    AlertInput,
    AlertTargetInput,
    AuditAction,
    AuditObjectType,
    ContentType,
    CourseUpload,
    FocusType,
    FolderInput,
    Problem,
    RegistrationInput,
    RegistrationStatusUpdated,
    Subtopic,
    Topic,
    WebhookFocusInput,
    WebhookInput,
)
from client.types import UNSET, File

api = os.environ["API"]
granted = request_access_token.sync(
    client=Client(base_url=api),
    body=AccessTokenRequest(
        grant_type=AccessTokenRequestGrantType.CLIENT_CREDENTIALS,
        client_id=os.environ["CLIENT_ID"],
        client_secret=os.environ["CLIENT_SECRET"],
    ),
)
client = AuthenticatedClient(base_url=api, token=granted.access_token)

account = create_account.sync(client=client, body=AccountInput(name="Northwind"))
tag = get_account.sync_detailed(account.id, client=client).headers["etag"]


def change():
    return update_account.sync(account.id, client=client, body=AccountInput(name="Northwind Traders"), if_match=tag)


def expect_problem(problem, status):
    assert isinstance(problem, Problem), problem
    assert problem.status == status, problem
    assert problem.type_.startswith("urn:coursewire:problem:")
    return problem


assert change().name == "Northwind Traders"
expect_problem(change(), 412)
invalid = expect_problem(create_account.sync(client=client, body=AccountInput(name=" ")), 400)
assert invalid.errors[0].pointer == "/name"
expect_problem(get_account.sync(999_999, client=client), 404)

parent = create_folder.sync(client=client, body=FolderInput(name="Safety"))
create_folder.sync(client=client, body=FolderInput(name="Fire", parent_id=parent.id))
expect_problem(delete_folder.sync(parent.id, client=client), 409)

for name in "abc":
    create_account.sync(client=client, body=AccountInput(name=name))
seen, cursor = set(), UNSET
while cursor is not None:
    page = list_accounts.sync(client=client, limit=2, cursor=cursor)
    seen.update(each.id for each in page.data)
    cursor = page.next_cursor
assert len(seen) >= 4 and account.id in seen

created = create_webhook.sync_detailed(
    client=client,
    body=WebhookInput(
        name="CRM",
        topic=Topic.REGISTRATION,
        target_url="http://127.0.0.1:9/",
        focus=[WebhookFocusInput(webhook_focus_type=FocusType.ACCOUNT, webhook_focus_id=account.id)],
    ),
)
webhook = created.parsed
assert webhook.focus[0].webhook_focus_id == account.id
# A record can be sent back as it was read.
body = WebhookInput.from_dict({**webhook.to_dict(), "name": "CRM 2"})
assert update_webhook.sync(webhook.id, client=client, body=body, if_match=created.headers["etag"]).name == "CRM 2"
assert get_webhook_statistics.sync(webhook.id, client=client).success_count == 0
message = test_webhook.sync(webhook.id, client=client, subtopic=Subtopic.REGISTRATION_STATUS_UPDATED).message
assert isinstance(message, RegistrationStatusUpdated), message
assert isinstance(message.resource.registration.duration, int)

with open(os.environ["PACKAGE"], "rb") as package:
    upload = CourseUpload(file=File(payload=package, file_name="course.zip", mime_type="application/zip"))
    course = import_course.sync(client=client, body=upload)
contents = [AccountContentInput(type_=ContentType.COURSE, id=course.id)]
add_account_content.sync(account.id, client=client, body=AccountContentAdditionInput(contents=contents))
registered = create_registration.sync(
    client=client, body=RegistrationInput(account_id=account.id, course_id=course.id, learner_id="learner-1")
)
assert registered.score is None

events = list_events.sync(client=client, subtopic=Subtopic.ACCOUNT_CREATED, account_id=account.id)
assert [event.account.id for event in events.data] == [account.id]
launch_registration.sync(registered.registration_id, client=client)


def resource_of(subtopic):
    found = list_events.sync(client=client, subtopic=subtopic, account_id=account.id).data
    return get_event.sync(found[0].id, client=client).resource


launched = resource_of(Subtopic.REGISTRATION_LAUNCHED)
assert launched.registration.learner_id == "learner-1"
assert launched.content.course.id == course.id
assert resource_of(Subtopic.CONTENT_ADDED_TO_ACCOUNT).content.folder.contents[0].id == course.id
target = AlertTargetInput(format_=AlertFormat.JSON, url="http://127.0.0.1:9/")
rule = AlertInput(name="Dead letters", condition=AlertCondition.MESSAGE_DEAD_LETTERED, target=target)
made = create_alert.sync_detailed(client=client, body=rule)
alert = made.parsed
# The record does not have the URL, and an update that omits it keeps it.
body = AlertInput.from_dict({**alert.to_dict(), "enabled": False})
assert update_alert.sync(alert.id, client=client, body=body, if_match=made.headers["etag"]).enabled is False
expect_problem(update_alert.sync(alert.id, client=client, body=body, if_match=made.headers["etag"]), 412)
assert delete_alert.sync_detailed(alert.id, client=client).status_code == 204
expect_problem(get_alert.sync(alert.id, client=client), 404)
audited = list_audit_entries.sync(
    client=client,
    object_type=AuditObjectType.WEBHOOK,
    object_id=str(webhook.id),
    action=[AuditAction.WEBHOOK_UPDATED],
)
[renamed] = [change for change in audited.data[0].changes if change.field == "name"]
assert (renamed.before, renamed.after) == ("CRM", "CRM 2")

assert delete_webhook.sync_detailed(webhook.id, client=client).status_code == 204
assert delete_account.sync_detailed(account.id, client=client).status_code == 204
