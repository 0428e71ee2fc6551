package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"tour/client"
)

func check(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func expectProblem(problem *client.Problem, status int64) *client.Problem {
	check(problem != nil, fmt.Sprint("no ", status))
	check(problem.Status == status, fmt.Sprint(problem.Status, " is not ", status))
	check(strings.HasPrefix(problem.Type, "urn:coursewire:problem:"), problem.Type)
	return problem
}

func ptr[T any](value T) *T { return &value }

func main() {
	ctx := context.Background()
	open := must(client.NewClientWithResponses(os.Getenv("API")))
	granted := must(open.RequestAccessTokenWithFormdataBodyWithResponse(ctx, client.AccessTokenRequest{
		GrantType:    client.ClientCredentials,
		ClientId:     ptr(os.Getenv("CLIENT_ID")),
		ClientSecret: ptr(os.Getenv("CLIENT_SECRET")),
	}))
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+granted.JSON200.AccessToken)
		return nil
	}
	api := must(client.NewClientWithResponses(os.Getenv("API"), client.WithRequestEditorFn(bearer)))

	account := must(api.CreateAccountWithResponse(ctx, nil, client.AccountInput{Name: "Northwind"})).JSON201
	read := must(api.GetAccountWithResponse(ctx, account.Id))
	tag := read.HTTPResponse.Header.Get("ETag")
	change := func() *client.UpdateAccountResponse {
		params := &client.UpdateAccountParams{IfMatch: &tag}
		return must(api.UpdateAccountWithResponse(ctx, account.Id, params, client.AccountInput{Name: "Northwind Traders"}))
	}
	check(change().JSON200.Name == "Northwind Traders", "name")
	expectProblem(change().ApplicationproblemJSON412, 412)
	invalid := must(api.CreateAccountWithResponse(ctx, nil, client.AccountInput{Name: " "}))
	check((*expectProblem(invalid.ApplicationproblemJSON400, 400).Errors)[0].Pointer == "/name", "pointer")
	expectProblem(must(api.GetAccountWithResponse(ctx, 999_999)).ApplicationproblemJSON404, 404)

	parent := must(api.CreateFolderWithResponse(ctx, nil, client.FolderInput{Name: "Safety"})).JSON201
	must(api.CreateFolderWithResponse(ctx, nil, client.FolderInput{Name: "Fire", ParentId: &parent.Id}))
	expectProblem(must(api.DeleteFolderWithResponse(ctx, parent.Id, nil)).ApplicationproblemJSON409, 409)

	for _, name := range []string{"a", "b", "c"} {
		must(api.CreateAccountWithResponse(ctx, nil, client.AccountInput{Name: name}))
	}
	seen := map[int64]bool{}
	for cursor, first := (*string)(nil), true; first || cursor != nil; first = false {
		page := must(api.ListAccountsWithResponse(ctx, &client.ListAccountsParams{Limit: ptr(int64(2)), Cursor: cursor})).JSON200
		for _, each := range page.Data {
			seen[each.Id] = true
		}
		cursor = page.NextCursor
	}
	check(len(seen) >= 4 && seen[account.Id], "paging")

	created := must(api.CreateWebhookWithResponse(ctx, nil, client.WebhookInput{
		Name: "CRM", Topic: client.TopicREGISTRATION, TargetUrl: "http://127.0.0.1:9/",
		Focus: &[]client.WebhookFocusInput{{WebhookFocusType: client.FocusTypeACCOUNT, WebhookFocusId: account.Id}},
	}))
	webhook := created.JSON201
	check(webhook.Focus[0].WebhookFocusId == account.Id, "focus")
	webhookTag := created.HTTPResponse.Header.Get("ETag")
	put := must(api.UpdateWebhookWithResponse(ctx, webhook.Id, &client.UpdateWebhookParams{IfMatch: &webhookTag}, client.WebhookInput{
		Name: "CRM 2", Topic: webhook.Topic, TargetUrl: webhook.TargetUrl,
	}))
	check(put.JSON200.Name == "CRM 2", "name of the webhook")
	check(must(api.GetWebhookStatisticsWithResponse(ctx, webhook.Id)).JSON200.SuccessCount == 0, "statistics")
	tested := must(api.TestWebhookWithResponse(ctx, webhook.Id, &client.TestWebhookParams{
		Subtopic: ptr(client.SubtopicREGISTRATIONSTATUSUPDATED),
	}))
	message := must(tested.JSON200.Message.ValueByDiscriminator())
	_, isStatus := message.(client.RegistrationStatusUpdated)
	check(isStatus, fmt.Sprintf("%T", message))

	form := &bytes.Buffer{}
	writer := multipart.NewWriter(form)
	part := must(writer.CreateFormFile("file", "course.zip"))
	must(io.Copy(part, must(os.Open(os.Getenv("PACKAGE")))))
	writer.Close()
	course := must(api.ImportCourseWithBodyWithResponse(ctx, nil, writer.FormDataContentType(), form)).JSON201
	must(api.AddAccountContentWithResponse(ctx, account.Id, nil, client.AccountContentAdditionInput{
		Contents: []client.AccountContentInput{{Type: client.ContentTypeCOURSE, Id: course.Id}},
	}))
	registered := must(api.CreateRegistrationWithResponse(ctx, nil, client.RegistrationInput{
		AccountId: account.Id, CourseId: &course.Id, LearnerId: "learner-1",
	})).JSON201
	check(registered.Score == nil, "score")

	events := must(api.ListEventsWithResponse(ctx, &client.ListEventsParams{
		Subtopic: ptr(client.SubtopicACCOUNTCREATED), AccountId: &account.Id,
	})).JSON200
	check(len(events.Data) == 1 && events.Data[0].Account.Id == account.Id, "events")
	must(api.LaunchRegistrationWithResponse(ctx, registered.RegistrationId, nil, client.LaunchInput{}))
	resourceOf := func(subtopic client.Subtopic) client.Resource {
		found := must(api.ListEventsWithResponse(ctx, &client.ListEventsParams{
			Subtopic: &subtopic, AccountId: &account.Id,
		})).JSON200
		return must(api.GetEventWithResponse(ctx, found.Data[0].Id)).JSON200.Resource
	}
	launched := resourceOf(client.SubtopicREGISTRATIONLAUNCHED)
	check(launched.Registration != nil && launched.Registration.LearnerId == "learner-1", "launched registration")
	check(launched.Content != nil && launched.Content.Course.Id == course.Id, "launched course")
	added := resourceOf(client.SubtopicCONTENTADDEDTOACCOUNT)
	check(added.Content != nil && added.Content.Folder.Contents[0].Id == course.Id, "added course")
	rule := client.AlertInput{
		Name: "Dead letters", Condition: client.MESSAGEDEADLETTERED,
		Target: &client.AlertTargetInput{Format: client.JSON, Url: ptr("http://127.0.0.1:9/")},
	}
	made := must(api.CreateAlertWithResponse(ctx, nil, rule))
	alertTag := made.HTTPResponse.Header.Get("ETag")
	rule.Enabled = ptr(false)
	changeAlert := func() *client.UpdateAlertResponse {
		return must(api.UpdateAlertWithResponse(ctx, made.JSON201.Id, &client.UpdateAlertParams{IfMatch: &alertTag}, rule))
	}
	check(!changeAlert().JSON200.Enabled, "alert")
	expectProblem(changeAlert().ApplicationproblemJSON412, 412)
	check(must(api.DeleteAlertWithResponse(ctx, made.JSON201.Id, nil)).StatusCode() == 204, "deleted alert")
	expectProblem(must(api.GetAlertWithResponse(ctx, made.JSON201.Id)).ApplicationproblemJSON404, 404)
	audited := must(api.ListAuditEntriesWithResponse(ctx, &client.ListAuditEntriesParams{
		ObjectType: ptr(client.AuditObjectTypeWEBHOOK), ObjectId: ptr(fmt.Sprint(webhook.Id)),
		Action: &[]client.AuditAction{client.AuditActionWEBHOOKUPDATED},
	})).JSON200
	for _, each := range audited.Data[0].Changes {
		if each.Field == "name" {
			check(must(each.Before.AsAuditValue0()) == "CRM" && must(each.After.AsAuditValue0()) == "CRM 2", "audit log")
		}
	}

	check(must(api.DeleteWebhookWithResponse(ctx, webhook.Id, nil)).StatusCode() == 204, "deleted webhook")
	check(must(api.DeleteAccountWithResponse(ctx, account.Id, nil)).StatusCode() == 204, "deleted account")
}
