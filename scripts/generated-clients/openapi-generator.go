package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"golang.org/x/oauth2"

	openapi "tour/client"
)

func check(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expectProblem(err error, status int64) openapi.Problem {
	var failure *openapi.GenericOpenAPIError
	check(errors.As(err, &failure), fmt.Sprint("no ", status, ": ", err))
	problem, isProblem := failure.Model().(openapi.Problem)
	check(isProblem, fmt.Sprintf("%T", failure.Model()))
	check(problem.Status == status, fmt.Sprint(problem.Status, " is not ", status))
	check(strings.HasPrefix(problem.Type, "urn:coursewire:problem:"), problem.Type)
	return problem
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("API")}}
	api := openapi.NewAPIClient(configuration)
	granted := must(api.AuthenticationAPI.RequestAccessToken(context.Background()).GrantType("client_credentials").
		ClientId(os.Getenv("CLIENT_ID")).ClientSecret(os.Getenv("CLIENT_SECRET")).Execute())
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: granted.AccessToken})
	ctx := context.WithValue(context.Background(), openapi.ContextOAuth2, token)
	accounts, folders, webhooks := api.AccountsAPI, api.FoldersAPI, api.WebhooksAPI

	account := must(accounts.CreateAccount(ctx).AccountInput(*openapi.NewAccountInput("Northwind")).Execute())
	_, answer, _ := accounts.GetAccount(ctx, account.Id).Execute()
	tag := answer.Header.Get("ETag")
	change := accounts.UpdateAccount(ctx, account.Id).IfMatch(tag).AccountInput(*openapi.NewAccountInput("Northwind Traders"))
	check(must(change.Execute()).Name == "Northwind Traders", "name")
	_, _, err := change.Execute()
	expectProblem(err, 412)
	_, _, err = accounts.CreateAccount(ctx).AccountInput(*openapi.NewAccountInput(" ")).Execute()
	check(expectProblem(err, 400).Errors[0].Pointer == "/name", "pointer")
	_, _, err = accounts.GetAccount(ctx, 999_999).Execute()
	expectProblem(err, 404)

	parent := must(folders.CreateFolder(ctx).FolderInput(*openapi.NewFolderInput("Safety")).Execute())
	inner := openapi.NewFolderInput("Fire")
	inner.SetParentId(parent.Id)
	must(folders.CreateFolder(ctx).FolderInput(*inner).Execute())
	_, err = folders.DeleteFolder(ctx, parent.Id).Execute()
	expectProblem(err, 409)

	for _, name := range []string{"a", "b", "c"} {
		must(accounts.CreateAccount(ctx).AccountInput(*openapi.NewAccountInput(name)).Execute())
	}
	seen := map[int64]bool{}
	for cursor, first := (*string)(nil), true; first || cursor != nil; first = false {
		request := accounts.ListAccounts(ctx).Limit(2)
		if cursor != nil {
			request = request.Cursor(*cursor)
		}
		page := must(request.Execute())
		for _, each := range page.Data {
			seen[each.Id] = true
		}
		cursor = page.NextCursor.Get()
	}
	check(len(seen) >= 4 && seen[account.Id], "paging")

	input := openapi.NewWebhookInput("CRM", openapi.TOPIC_REGISTRATION, "http://127.0.0.1:9/")
	input.SetFocus([]openapi.WebhookFocusInput{*openapi.NewWebhookFocusInput(openapi.FOCUSTYPE_ACCOUNT, account.Id)})
	webhook, answer, err := webhooks.CreateWebhook(ctx).WebhookInput(*input).Execute()
	check(err == nil && webhook.Focus[0].WebhookFocusId == account.Id, fmt.Sprint("focus ", err))
	input.SetName("CRM 2")
	put := must(webhooks.UpdateWebhook(ctx, webhook.Id).IfMatch(answer.Header.Get("ETag")).WebhookInput(*input).Execute())
	check(put.Name == "CRM 2", "name of the webhook")
	check(must(webhooks.GetWebhookStatistics(ctx, webhook.Id).Execute()).SuccessCount == 0, "statistics")
	tested := must(webhooks.TestWebhook(ctx, webhook.Id).Subtopic(openapi.SUBTOPIC_REGISTRATION_STATUS_UPDATED).Execute())
	check(tested.Message.RegistrationStatusUpdated != nil, "message")
	sent, _ := json.Marshal(tested.Message)
	later := strings.Replace(string(sent), "{", `{"of_a_later_release":1,`, 1)
	var message openapi.Message
	err = json.Unmarshal([]byte(later), &message)
	check(err == nil && message.RegistrationStatusUpdated != nil, fmt.Sprint("member of a later release: ", err))

	file, _ := os.Open(os.Getenv("PACKAGE"))
	course := must(api.CoursesAPI.ImportCourse(ctx).File(file).Execute())
	contents := []openapi.AccountContentInput{*openapi.NewAccountContentInput(openapi.CONTENTTYPE_COURSE, course.Id)}
	must(api.AccountContentAPI.AddAccountContent(ctx, account.Id).
		AccountContentAdditionInput(*openapi.NewAccountContentAdditionInput(contents)).Execute())
	registration := openapi.NewRegistrationInput(account.Id, "learner-1")
	registration.SetCourseId(course.Id)
	registered := must(api.RegistrationsAPI.CreateRegistration(ctx).RegistrationInput(*registration).Execute())
	check(registered.Score.Get() == nil, "score")

	events := must(api.EventsAPI.ListEvents(ctx).Subtopic(openapi.SUBTOPIC_ACCOUNT_CREATED).AccountId(account.Id).Execute())
	check(len(events.Data) == 1 && events.Data[0].GetAccount().Id == account.Id, "events")
	must(api.RegistrationsAPI.LaunchRegistration(ctx, registered.RegistrationId).Execute())
	resourceOf := func(subtopic openapi.Subtopic) openapi.Resource {
		found := must(api.EventsAPI.ListEvents(ctx).Subtopic(subtopic).AccountId(account.Id).Execute())
		return must(api.EventsAPI.GetEvent(ctx, found.Data[0].Id).Execute()).Resource
	}
	launched := resourceOf(openapi.SUBTOPIC_REGISTRATION_LAUNCHED)
	check(launched.Registration != nil && launched.Registration.LearnerId == "learner-1", "launched registration")
	check(launched.Content != nil && launched.Content.Course.Id == course.Id, "launched course")
	added := resourceOf(openapi.SUBTOPIC_CONTENT_ADDED_TO_ACCOUNT)
	check(added.Content != nil && added.Content.Folder.Contents[0].Id == course.Id, "added course")
	rule := openapi.NewAlertInput("Dead letters", openapi.ALERTCONDITION_MESSAGE_DEAD_LETTERED)
	target := openapi.NewAlertTargetInput(openapi.ALERTFORMAT_JSON)
	target.SetUrl("http://127.0.0.1:9/")
	rule.SetTarget(*target)
	alert, answer, err := api.AlertsAPI.CreateAlert(ctx).AlertInput(*rule).Execute()
	check(err == nil, fmt.Sprint("alert ", err))
	rule.SetEnabled(false)
	changeAlert := api.AlertsAPI.UpdateAlert(ctx, alert.Id).IfMatch(answer.Header.Get("ETag")).AlertInput(*rule)
	check(!must(changeAlert.Execute()).Enabled, "changed alert")
	_, _, err = changeAlert.Execute()
	expectProblem(err, 412)
	_, err = api.AlertsAPI.DeleteAlert(ctx, alert.Id).Execute()
	check(err == nil, "deleted alert")
	_, _, err = api.AlertsAPI.GetAlert(ctx, alert.Id).Execute()
	expectProblem(err, 404)
	audited := must(api.AuditLogAPI.ListAuditEntries(ctx).ObjectType(openapi.AUDITOBJECTTYPE_WEBHOOK).
		ObjectId(fmt.Sprint(webhook.Id)).Action([]openapi.AuditAction{openapi.AUDITACTION_WEBHOOK_UPDATED}).Execute())
	for _, each := range audited.Data[0].Changes {
		if each.Field == "name" {
			check(*each.Before.Get().String == "CRM" && *each.After.Get().String == "CRM 2", "audit log")
		}
	}

	_, err = webhooks.DeleteWebhook(ctx, webhook.Id).Execute()
	check(err == nil, "deleted webhook")
	_, err = accounts.DeleteAccount(ctx, account.Id).Execute()
	check(err == nil, "deleted account")
}
