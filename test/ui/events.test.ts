import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceEvent } from '../../src/events/event.ts';
import { RecordingPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { launch, makeParties, register } from '../content/registration-helpers.ts';
import { settledDeliveries } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { PHONE, startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

const EVENTS = '/administration/integrations/events';
const PASSED = { completion: 'Completed', success: 'PASS', score: 92 };
/** More than one request for events reads. */
const LARGE_EVENTS = 18;
const LARGE = 1_024 * 1_024;

/** Records events of other accounts. */
async function recordLargeEvents(dataDir: string): Promise<void> {
  await using database = await openDatabaseOf(dataDir);
  const publisher = new RecordingPublisher({ now: Date.now });
  const account = { id: 999, name: 'x'.repeat(LARGE), enabled: true };
  const event: ServiceEvent = {
    subtopic: 'ACCOUNT_CREATED',
    user: 'admin@example.com',
    resource: { account },
    accountId: account.id,
    content: [],
  };
  for (let count = 0; count < LARGE_EVENTS; count++)
    await database.transaction((tx) => publisher.publish(tx, event));
}

describe('the event log in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  let registrationId: string;
  let parties: { account_id: number; course_id: number };
  let webhookId: number;

  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    target = parts.use(await startTarget({ respondWith: answer(403) }));
    const { api } = ui.service;
    const webhook = { topic: 'REGISTRATION', target_url: target.url, max_attempts: 1 };
    webhookId = (await api.create('/webhooks', { ...webhook, name: '<b>LMS</b>' })).id;
    const asleep = { ...webhook, name: 'Asleep', enabled: false };
    const { id: asleepId } = await api.create('/webhooks', asleep);
    parties = await makeParties(ui.service, { account: 'Northwind', course: 'Fire safety' });
    const courses = { ...webhook, name: 'Catalogue', topic: 'COURSE' };
    const { id: coursesId } = await api.create('/webhooks', courses);
    registrationId = (await register(ui.service, parties, 'ada')).registration_id;
    const page = await fetch(await launch(ui.service, registrationId));
    await page.text();
    await settledDeliveries(api, webhookId, 1);
    for (const [id, after] of [
      [asleepId, { ...asleep, subtopics: ['REGISTRATION_LAUNCHED'] }],
      [coursesId, { ...courses, paused: true }],
    ] as const)
      assert.equal((await api.put(`/webhooks/${id}`, after)).status, 200);
  });

  it('shows in three clicks whether the launch of a learner was sent, and links to the delivery', async () => {
    await using visit = await ui.visit('/registrations');
    const { page } = visit;
    // Room for every column.
    await page.setViewportSize({ width: 1_600, height: 900 });
    await page.getByRole('link', { name: /ada/ }).first().click();
    await page.getByRole('row', { name: /Registration launched/ }).waitFor();
    const columns = await page
      .getByRole('table', { name: 'Events' })
      .getByRole('columnheader')
      .allTextContents();
    assert.deepEqual(
      columns,
      ['Event', 'User', 'Webhooks', 'Occurred'],
      'the page itself names the learner and the course',
    );
    await page.getByRole('link', { name: /Registration launched, event/ }).click();
    await page.getByRole('heading', { name: 'Registration launched' }).waitFor();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('Dead-lettered').waitFor();
    await messages.getByText('<b>LMS</b>').waitFor();
    await messages.getByText('403 Forbidden').waitFor();
    const others = page.getByRole('list', { name: 'Other webhooks' }).getByRole('listitem');
    await others.filter({ hasText: 'Asleep' }).getByText('It was inactive. Changed since').waitFor();
    const paused = others.filter({ hasText: 'Catalogue' });
    await paused.getByText('It has another topic.').waitFor();
    assert.equal(await paused.getByText('Changed since').count(), 0, 'pausing changes nothing about events');
    await page.getByText('"learner_id": "ada"').waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('link', { name: /Open delivery to/ }).click();
    await page.getByRole('dialog').getByText('All attempts failed.').waitFor();
    // Until the event is known, the link leads to the list of events about the message.
    const known = page.locator('[href*="/events/"]');
    await page.getByRole('dialog').getByRole('link', { name: 'Registration launched' }).and(known).click();
    await visit.arrived(new RegExp(`^${EVENTS}/\\d+$`));
    await page.getByRole('heading', { name: 'Registration launched' }).waitFor();
  });

  it('is opened from a delivery, which also lists the deliveries of the same event to other webhooks', async () => {
    const { api } = ui.service;
    const webhook = { topic: 'REGISTRATION', target_url: target.url, max_attempts: 1 };
    const first = (await api.create('/webhooks', { ...webhook, name: 'Billing' })).id;
    const second = (await api.create('/webhooks', { ...webhook, name: 'Directory' })).id;
    assert.equal((await api.put(`/registrations/${registrationId}/status`, PASSED)).status, 200);
    for (const id of [first, second]) await settledDeliveries(api, id, 1);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${first}?tab=history`);
    const { page } = visit;
    await page.getByRole('link', { name: /Status updated, delivery/ }).click();
    const drawer = page.getByRole('dialog');
    const others = drawer.getByRole('list', { name: 'Other deliveries of this event' });
    await others.getByText('Dead-lettered').first().waitFor();
    await others.getByRole('link', { name: '<b>LMS</b>' }).waitFor();
    assert.equal(await others.getByRole('link', { name: 'Billing' }).count(), 0);
    await visit.assertAccessible();
    await others.getByRole('link', { name: 'Directory' }).click();
    await visit.arrived(new RegExp(`/webhooks/${second}\\?.*delivery=`));
    await others.getByRole('link', { name: 'Billing' }).waitFor();
    await drawer.getByRole('link', { name: 'Status updated' }).click();
    await visit.arrived(new RegExp(`^${EVENTS}/\\d+$`));
    for (const id of [first, second]) await api.delete(`/webhooks/${id}`);
  });

  it('has all events of a learner whose id ends with a space, and none of another one', async () => {
    const ids: string[] = [];
    for (const learner of ['spaced', 'spaced ']) {
      const { registration_id: id } = await register(ui.service, parties, learner);
      assert.equal((await ui.service.api.put(`/registrations/${id}/status`, PASSED)).status, 200);
      ids.push(id);
    }
    await using visit = await ui.visit(`/registrations/${ids[1]}`);
    const { page } = visit;
    await page.getByRole('link', { name: /Status updated, event/ }).click();
    await page.getByRole('link', { name: 'spaced', exact: true }).click();
    await hasValue(page.getByRole('textbox', { name: 'Learner id' }), 'spaced ');
    // By then, the address would also have another text of the first field.
    await page.getByRole('textbox', { name: 'User' }).fill('nobody');
    await visit.arrived(/user=nobody/);
    assert.equal(new URL(page.url()).searchParams.get('learner_id'), 'spaced ');
    await page.getByRole('textbox', { name: 'Learner id' }).fill('spaced');
    await visit.arrived(/learner_id=spaced&/);
  });

  it('is searched, and the address contains the filters', async () => {
    await using visit = await ui.visit(EVENTS);
    const { page } = visit;
    const said = page.getByRole('region', { name: 'Events' }).getByRole('status');
    await page.getByRole('link', { name: /Account created, event/ }).waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('textbox', { name: 'Learner id' }).fill('ada');
    await page.getByRole('link', { name: /Account created, event/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Registration launched, event/ }).waitFor();
    await visit.arrived(`${EVENTS}?learner_id=ada`);
    await said.getByText(/^\d+ results?$/).waitFor({ state: 'attached' });
    await page.getByRole('textbox', { name: 'Learner id' }).fill('nobody');
    await page.getByText('No event matches these filters.').waitFor();
    await said.getByText('No results', { exact: true }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await page.getByRole('link', { name: /Account created, event/ }).waitFor();
    await visit.arrived(EVENTS);
    await page.getByLabel('From').fill('2001-01-01T00:00');
    await visit.arrived(/from=2000-12-31T23%3A00Z/);
    await page.getByRole('link', { name: /Course imported, event/ }).waitFor();
    await page.getByLabel('Until').fill('2001-01-02T00:00');
    await page.getByText('No event matches these filters.').waitFor();
  });

  it('reads times of old addresses, which have no zone, in that of the visitor, who can correct them by keyboard', async () => {
    await using visit = await ui.visit(`${EVENTS}?from=2001-07-01T14%3A05`);
    const { page } = visit;
    await visit.arrived(`${EVENTS}?from=2001-07-01T12%3A05Z`);
    assert.equal(await page.getByLabel('From').inputValue(), '2001-07-01T14:05');
    await page.getByLabel('From').focus();
    // Day and month, in any order.
    await page.keyboard.type('1212');
    await visit.arrived(/from=2001-12-12T13%3A05Z/);
    assert.equal(await page.getByLabel('From').inputValue(), '2001-12-12T14:05');
  });

  it('has a period that is the same in every time zone, also in the hour that occurs twice', async () => {
    const from = '2026-10-25T01%3A30Z';
    for (const [timezoneId, shown] of [
      ['Europe/Berlin', '2026-10-25T02:30'],
      ['America/New_York', '2026-10-24T21:30'],
    ] as const) {
      await using visit = await ui.visit('/', { timezoneId });
      const { page } = visit;
      const asked = page.waitForRequest(/events\?.*from_dt=2026-10-25T01%3A30%3A00.000Z/);
      await visit.go(`${EVENTS}?from=${from}`);
      await asked;
      assert.equal(await page.getByLabel('From').inputValue(), shown);
      await page.getByRole('textbox', { name: 'Learner id' }).fill('ada');
      await visit.arrived(`${EVENTS}?from=${from}&learner_id=ada`);
    }
  });

  it('shows an error for a time with a year of six digits, and keeps the list as it was', async () => {
    await using visit = await ui.visit(`${EVENTS}?from=2001-12-12T14%3A05`);
    const { page } = visit;
    await page.getByLabel('From').fill('202611-11-21T02:15');
    await page.getByText('Enter a whole date and time, with a year of four digits').waitFor();
    await visit.assertAccessible();
    await page.getByLabel('Until').fill('2002-01-01T00:00');
    await visit.arrived(`${EVENTS}?from=2001-12-12T13%3A05Z&to=2001-12-31T23%3A00Z`);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await visit.arrived(EVENTS);
    assert.equal(await page.getByLabel('From').inputValue(), '');
  });

  it('loses refused times and starts with the newest events again when its filters are cleared', async () => {
    await using visit = await ui.visit(`${EVENTS}?account_id=${parties.account_id}&cursor=MQ`);
    const { page } = visit;
    await page.getByLabel('From').fill('202611-11-21T02:15');
    await page.getByLabel('Until').focus();
    await page.keyboard.type('12');
    const isIncomplete = () =>
      page.getByLabel('Until').evaluate((field) => (field as HTMLInputElement).validity.badInput);
    assert.ok(await isIncomplete());
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await visit.arrived(EVENTS);
    await page.getByText('Enter a whole date and time').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('From').inputValue(), '');
    assert.equal(await isIncomplete(), false);
    // A page whose events have expired.
    await visit.go(`${EVENTS}?cursor=MQ`);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await visit.arrived(EVENTS);
    await page.getByRole('link', { name: /Registration launched, event/ }).waitFor();
  });

  it('is shown for an account and a course, and links to all their events', async () => {
    await using visit = await ui.visit(`/accounts/${parties.account_id}?tab=events`);
    const { page } = visit;
    await page.getByRole('link', { name: /Account created, event/ }).waitFor();
    await page.getByRole('link', { name: /Registration launched, event/ }).waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('link', { name: 'Show all' }).click();
    await visit.arrived(`${EVENTS}?account_id=${parties.account_id}`);
    await page.getByRole('link', { name: /Account created, event/ }).click();
    await page.getByRole('link', { name: 'Northwind' }).click();
    await visit.go(`/content/courses/${parties.course_id}`);
    await page.getByRole('link', { name: /Course imported, event/ }).waitFor();
  });

  it('says once how many assets an event is about, though the account has the name of the first', async () => {
    const { api } = ui.service;
    const make = new ContentMaker(ui.service);
    const contents = [];
    for (const name of ['Twin', 'Second', 'Third']) {
      const { type, id } = await make.course(name);
      contents.push({ type, id });
    }
    const { id } = await api.create('/accounts', { name: 'Twin' });
    await api.post(`/accounts/${id}/content`, { contents });
    await using visit = await ui.visit(`${EVENTS}?account_id=${id}&subtopic=CONTENT_ADDED_TO_ACCOUNT`);
    await visit.page.getByText('Twin and 2 more · Twin', { exact: true }).waitFor();
  });

  it('fits on a phone, and is opened with the keyboard', async () => {
    await using visit = await ui.visit(EVENTS, { phone: true });
    const { page } = visit;
    const link = page.getByRole('link', { name: /Registration launched, event/ });
    await link.waitFor();
    await visit.assertNoSidewaysScrolling();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Messages' }).waitFor();
    await visit.assertNoSidewaysScrolling();
  });

  it('shows that an event does not exist', async () => {
    await using visit = await ui.visit(`${EVENTS}/999999`);
    await visit.page.getByText('This event does not exist').waitFor();
  });
});

describe('an event and many webhooks', () => {
  it('has for each webhook, found by its name, why it got no message', async () => {
    await using ui = await startUi({ settings: { enable_queue_polling: false } });
    const { api } = ui.service;
    const webhook = { topic: 'COURSE', target_url: 'http://127.0.0.1:9/' };
    for (let at = 10; at < 62; at++) await api.create('/webhooks', { ...webhook, name: `Receiver ${at}` });
    const asleep = { ...webhook, topic: 'ACCOUNT', name: 'Asleep', enabled: false };
    const { id } = await api.create('/webhooks', asleep);
    await api.create('/accounts', { name: 'Northwind' });
    await using visit = await ui.visit(`${EVENTS}?subtopic=ACCOUNT_CREATED`);
    const { page } = visit;
    await page.getByRole('link', { name: /Account created, event/ }).click();
    const others = page.getByRole('region', { name: 'Other webhooks' });
    await others.getByText('Receiver 59').waitFor();
    const panel = (await others.boundingBox())!;
    const first = (await others.getByRole('button', { name: 'First' }).boundingBox())!;
    const next = (await others.getByRole('button', { name: 'Next' }).boundingBox())!;
    // The buttons keep a distance from the edge of the panel, and from each other.
    assert.ok(next.x > first.x + first.width && next.x + next.width <= panel.x + panel.width - 16);
    await others.getByRole('button', { name: 'Next' }).click();
    await others.getByText('Receiver 61').waitFor();
    const finder = page.getByRole('region', { name: 'Find a webhook' });
    const field = finder.getByRole('combobox', { name: 'Name of the webhook' });
    await field.fill('nobody');
    await page.getByText('No webhook has this name.').waitFor();
    await field.fill('n'.repeat(201));
    await page.getByText('The request is invalid').waitFor();
    await field.fill('asle');
    await page.getByRole('option', { name: 'Asleep' }).click();
    await finder.getByRole('listitem').getByText('It was inactive.').waitFor();
    await visit.arrived(new RegExp(`^${EVENTS}/\\d+\\?webhook_id=${id}$`));
    // The chosen name is not a search.
    await field.click();
    await page.getByRole('option', { name: 'Receiver 10' }).waitFor();
    await page.keyboard.press('Escape');
    await visit.assertAccessible();
    await page.reload();
    await finder.getByRole('listitem').getByText('It was inactive.').waitFor();
    await page.waitForFunction(
      `document.querySelector('input[aria-label="Name of the webhook"]').value === 'Asleep'`,
    );
    await page.setViewportSize(PHONE);
    await visit.assertNoSidewaysScrolling();
  });
});

describe('an event with a message for more webhooks than a list has', () => {
  it('is linked from each of its deliveries, since their list of the others is not complete', async () => {
    await using ui = await startUi();
    await using target = await startTarget();
    const { api } = ui.service;
    const webhook = { topic: 'ACCOUNT', target_url: target.url };
    const ids: number[] = [];
    for (let at = 10; at < 62; at++) {
      const { id } = await api.create('/webhooks', { ...webhook, name: `Receiver ${at}` });
      ids.push(id);
    }
    await api.create('/accounts', { name: 'Northwind' });
    const first = ids[0]!;
    await settledDeliveries(api, first, 1);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${first}?tab=history`);
    const { page } = visit;
    await page.getByRole('link', { name: /Account created, delivery/ }).click();
    const drawer = page.getByRole('dialog');
    const others = drawer.getByRole('list', { name: 'Other deliveries of this event' });
    await others.getByRole('listitem').first().waitFor();
    assert.ok((await others.getByRole('listitem').count()) < ids.length - 1);
    await visit.assertAccessible();
    await drawer.getByRole('link', { name: 'See all deliveries of this event' }).click();
    await visit.arrived(new RegExp(`^${EVENTS}/\\d+$`));
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Next' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Receiver 61').waitFor();
  });
});

describe('the events of one registration', () => {
  it('offers the search of older events where none of the latest is about a registration', async () => {
    await using ui = await startUi();
    const parties = await makeParties(ui.service);
    const { registration_id: id } = await register(ui.service, parties, 'grace');
    const rate = (score: number) => ui.service.api.put(`/registrations/${id}/status`, { ...PASSED, score });
    await rate(70);
    await recordLargeEvents(ui.service.settings.data_dir);
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.getByText('No results so far. Older events have not been searched yet.').waitFor();
    assert.equal(await page.getByRole('table', { name: 'Events' }).count(), 0);
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Search older events' }).click();
    await visit.arrived(new RegExp(`^${EVENTS}\\?registration_id=${id}&cursor=`));
    await page.getByRole('link', { name: /Status updated, event/ }).waitFor();
    await rate(92);
    await visit.go(`/registrations/${id}`);
    await page.getByRole('row', { name: /Status updated/ }).waitFor();
    await page.getByText('Older events have not been searched yet.').waitFor();
  });
});
