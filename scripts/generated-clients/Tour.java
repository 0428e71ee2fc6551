import java.io.File;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.openapitools.client.*;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

public class Tour {
  interface Call {
    void run() throws ApiException;
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static Problem expectProblem(int status, Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException error) {
      Problem problem = Problem.fromJson(error.getResponseBody());
      check(error.getCode() == status && problem.getStatus() == status, error.toString());
      check(problem.getType().startsWith("urn:coursewire:problem:"), problem.getType());
      return problem;
    }
    throw new AssertionError("no " + status);
  }

  static List<Event> eventsOf(ApiClient client, Subtopic subtopic, long account) throws ApiException {
    return new EventsApi(client)
        .listEvents(null, null, subtopic, account, null, null, null, null, null, null, null, null, null)
        .getData();
  }

  static Resource resourceOf(ApiClient client, Subtopic subtopic, long account) throws ApiException {
    long event = eventsOf(client, subtopic, account).get(0).getId();
    return new EventsApi(client).getEvent(event).getResource();
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("API"));
    AccessToken granted =
        new AuthenticationApi(client)
            .requestAccessToken("client_credentials", null, System.getenv("CLIENT_ID"), System.getenv("CLIENT_SECRET"));
    client.setAccessToken(granted.getAccessToken());
    AccountsApi accounts = new AccountsApi(client);
    FoldersApi folders = new FoldersApi(client);
    WebhooksApi webhooks = new WebhooksApi(client);

    Account account = accounts.createAccount(new AccountInput().name("Northwind"), null);
    long id = account.getId();
    String tag = accounts.getAccountWithHttpInfo(id).getHeaders().get("etag").get(0);
    AccountInput change = new AccountInput().name("Northwind Traders");
    check(accounts.updateAccount(id, change, tag).getName().equals("Northwind Traders"), "name");
    expectProblem(412, () -> accounts.updateAccount(id, change, tag));
    Problem invalid = expectProblem(400, () -> accounts.createAccount(new AccountInput().name(" "), null));
    check(invalid.getErrors().get(0).getPointer().equals("/name"), "pointer");
    expectProblem(404, () -> accounts.getAccount(999_999L));

    Folder parent = folders.createFolder(new FolderInput().name("Safety"), null);
    folders.createFolder(new FolderInput().name("Fire").parentId(parent.getId()), null);
    expectProblem(409, () -> folders.deleteFolder(parent.getId(), null));

    for (String name : List.of("a", "b", "c")) accounts.createAccount(new AccountInput().name(name), null);
    Set<Long> seen = new HashSet<>();
    String cursor = null;
    do {
      AccountList page = accounts.listAccounts(2L, cursor);
      for (Account each : page.getData()) seen.add(each.getId());
      cursor = page.getNextCursor();
    } while (cursor != null);
    check(seen.size() >= 4 && seen.contains(id), "paging");

    WebhookInput input =
        new WebhookInput()
            .name("CRM")
            .topic(Topic.REGISTRATION)
            .targetUrl("http://127.0.0.1:9/")
            .addFocusItem(new WebhookFocusInput().webhookFocusType(FocusType.ACCOUNT).webhookFocusId(id));
    ApiResponse<Webhook> created = webhooks.createWebhookWithHttpInfo(input, null);
    Webhook webhook = created.getData();
    check(webhook.getFocus().get(0).getWebhookFocusId() == id, "focus");
    Webhook put =
        webhooks.updateWebhook(webhook.getId(), input.name("CRM 2"), null, created.getHeaders().get("etag").get(0));
    check(put.getName().equals("CRM 2"), "name of the webhook");
    check(webhooks.getWebhookStatistics(webhook.getId()).getSuccessCount() == 0, "statistics");
    TestResult tested = webhooks.testWebhook(webhook.getId(), Subtopic.REGISTRATION_STATUS_UPDATED);
    check(tested.getMessage().getActualInstance() instanceof RegistrationStatusUpdated, "message");
    String later = tested.getMessage().toJson().replaceFirst("\\{", "{\"of_a_later_release\":1,");
    check(Message.fromJson(later).getActualInstance() instanceof RegistrationStatusUpdated, "member of a later release");

    Course course = new CoursesApi(client).importCourse(new File(System.getenv("PACKAGE")), null, null, null);
    new AccountContentApi(client)
        .addAccountContent(
            id,
            new AccountContentAdditionInput()
                .addContentsItem(new AccountContentInput().type(ContentType.COURSE).id(course.getId())),
            null);
    RegistrationsApi registrations = new RegistrationsApi(client);
    Registration registered =
        registrations.createRegistration(
            new RegistrationInput().accountId(id).courseId(course.getId()).learnerId("learner-1"), null);
    check(registered.getScore() == null, "score");

    List<Event> events = eventsOf(client, Subtopic.ACCOUNT_CREATED, id);
    check(events.size() == 1 && events.get(0).getAccount().getId() == id, "events");
    registrations.launchRegistration(registered.getRegistrationId(), null, null);
    Resource launched = resourceOf(client, Subtopic.REGISTRATION_LAUNCHED, id);
    check(launched.getRegistration().getLearnerId().equals("learner-1"), "launched registration");
    check(launched.getContent().getCourse().getId().equals(course.getId()), "launched course");
    Resource added = resourceOf(client, Subtopic.CONTENT_ADDED_TO_ACCOUNT, id);
    check(added.getContent().getFolder().getContents().get(0).getId().equals(course.getId()), "added course");
    AlertsApi alerts = new AlertsApi(client);
    AlertInput rule =
        new AlertInput()
            .name("Dead letters")
            .condition(AlertCondition.MESSAGE_DEAD_LETTERED)
            .target(new AlertTargetInput().format(AlertFormat.JSON).url("http://127.0.0.1:9/"));
    ApiResponse<Alert> made = alerts.createAlertWithHttpInfo(rule, null);
    long alertId = made.getData().getId();
    String alertTag = made.getHeaders().get("etag").get(0);
    check(!alerts.updateAlert(alertId, rule.enabled(false), alertTag).getEnabled(), "alert");
    expectProblem(412, () -> alerts.updateAlert(alertId, rule, alertTag));
    alerts.deleteAlert(alertId, null);
    expectProblem(404, () -> alerts.getAlert(alertId));
    AuditEntryList audited =
        new AuditLogApi(client)
            .listAuditEntries(
                null,
                null,
                null,
                null,
                List.of(AuditAction.WEBHOOK_UPDATED),
                AuditObjectType.WEBHOOK,
                String.valueOf(webhook.getId()),
                null,
                null);
    AuditChange renamed =
        audited.getData().get(0).getChanges().stream()
            .filter(each -> each.getField().equals("name"))
            .findFirst()
            .orElseThrow();
    check(renamed.getBefore().getActualInstance().equals("CRM"), "audit log");
    check(renamed.getAfter().getActualInstance().equals("CRM 2"), "audit log");

    webhooks.deleteWebhook(webhook.getId(), null);
    accounts.deleteAccount(id, null);
    System.exit(0);
  }
}
