import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../web/src/api/errors.ts';
import type { WebhookRecord } from '../../web/src/api/webhook-records.ts';
import { errorsAt, errorsElsewhere } from '../../web/src/components/field-errors.ts';
import {
  configurationOf,
  type Draft,
  draftOf,
  effectiveSubtopics,
  emptyDraft,
  excludedSubtopics,
  storedKeyOf,
  withAllSubtopics,
  withSubtopic,
  withTopic,
} from '../../web/src/pages/webhooks/form/draft.ts';
import { DRAFT_FIELDS, draftErrors } from '../../web/src/pages/webhooks/form/draft-checks.ts';
import { curlCommand } from '../../web/src/pages/webhooks/history/curl.ts';

const draft: Draft = {
  ...emptyDraft,
  name: 'CRM',
  targetUrl: 'https://crm.example.com/hook',
  topic: 'ACCOUNT',
};
const account = { type: 'ACCOUNT', id: 1, name: 'Northwind' } as const;
const record: WebhookRecord = {
  id: 5,
  name: 'CRM',
  topic: 'ACCOUNT',
  subtopics: ['ACCOUNT_DELETED'],
  all_subtopics: false,
  focus: [],
  target_url: 'https://crm.example.com/hook',
  authentication: { type: 'BASIC', key: 'crm' },
  enabled: true,
  inactive_since_dt: null,
  paused: true,
  paused_since_dt: '2026-01-01T00:00:00.000Z',
  signing_since_dt: null,
  former_signing_secret_until_dt: null,
  max_attempts: 3,
  ignore_before_dt: '2026-01-31T09:30:00.000Z',
  logging_mode: 'SUMMARY',
  in_error: false,
  read_only: false,
  created_dt: '2026-01-01T00:00:00.000Z',
  updated_dt: '2026-01-01T00:00:00.000Z',
};

describe('the form data of a webhook', () => {
  it('sends no subtopics for all, so that all stays all', () => {
    assert.equal(configurationOf({ ...draft, topic: 'ACCOUNT' }, '', null).subtopics, undefined);
  });

  it('omits the subtopics that the focus excludes, and restores them when the focus is removed', () => {
    const some: Draft = { ...draft, allSubtopics: false, subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_DELETED'] };
    const focused: Draft = { ...some, focus: [account] };
    assert.deepEqual(effectiveSubtopics(focused), ['ACCOUNT_DELETED']);
    assert.deepEqual(excludedSubtopics(focused), ['ACCOUNT_CREATED']);
    assert.deepEqual(configurationOf({ ...focused, topic: 'ACCOUNT' }, '', null).subtopics, [
      'ACCOUNT_DELETED',
    ]);
    assert.deepEqual(effectiveSubtopics({ ...focused, focus: [] }), ['ACCOUNT_CREATED', 'ACCOUNT_DELETED']);
  });

  it('cannot be saved with only subtopics that the focus excludes', () => {
    const nothing: Draft = {
      ...draft,
      allSubtopics: false,
      subtopics: ['ACCOUNT_CREATED'],
      focus: [account],
    };
    assert.deepEqual(Object.keys(draftErrors(nothing, '', null)), ['subtopics']);
    assert.deepEqual(draftErrors({ ...nothing, focus: [] }, '', null), {});
  });

  it('becomes an explicit selection when one event is deselected, and all events again when “all” is selected', () => {
    const some = withSubtopic(draft, 'ACCOUNT_CREATED', false);
    assert.equal(some.allSubtopics, false);
    assert.deepEqual(some.subtopics, ['ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED']);
    const each = withSubtopic(some, 'ACCOUNT_CREATED', true);
    assert.equal(each.allSubtopics, false);
    assert.deepEqual(each.subtopics, withAllSubtopics(draft, false).subtopics);
    assert.equal(withAllSubtopics(some, true).allSubtopics, true);
  });

  it('keeps excluded events selected when another event is deselected', () => {
    const some = withSubtopic({ ...draft, focus: [account] }, 'ACCOUNT_DELETED', false);
    assert.deepEqual(effectiveSubtopics(some), ['ACCOUNT_ACTIVATION_UPDATED']);
    assert.deepEqual(effectiveSubtopics({ ...some, focus: [] }), [
      'ACCOUNT_CREATED',
      'ACCOUNT_ACTIVATION_UPDATED',
    ]);
  });

  it('shows all its errors at once', () => {
    const errors = draftErrors({ ...emptyDraft, authentication: 'BASIC' }, '', null);
    assert.deepEqual(Object.keys(errors), [
      'name',
      'target_url',
      'authentication.key',
      'authentication.secret',
      'topic',
    ]);
  });

  it('shows an error of a member at the field in which it is entered', () => {
    const members = {
      '/focus/0/webhook_focus_id': 'must exist',
      '/focus/1/webhook_focus_id': 'must be given once',
      '/subtopics/1': 'must be one of the topic',
      '/authentication/secret': 'must be given',
      '/name_of_client': 'is unknown',
    };
    const errors = Object.entries(members).map(([pointer, detail]) => ({ pointer, detail }));
    const error = new ApiError(422, { errors }, null);
    assert.deepEqual(errorsAt(error, DRAFT_FIELDS), {
      focus: 'Must exist',
      subtopics: 'Must be one of the topic',
      'authentication.secret': 'Must be given',
    });
    assert.deepEqual(errorsElsewhere(error, DRAFT_FIELDS), [
      { pointer: '/name_of_client', detail: 'is unknown' },
    ]);
  });

  it('preserves members that only the API sets, and sends a secret only if one was entered', () => {
    const configuration = configurationOf({ ...draftOf(record), topic: 'ACCOUNT' }, '', record);
    assert.deepEqual(configuration.authentication, { type: 'BASIC', key: 'crm' });
    assert.equal(configuration.max_attempts, 3);
    assert.equal(configuration.ignore_before_dt, '2026-01-31T09:30:00.000Z');
    assert.equal(configuration.logging_mode, 'SUMMARY');
    assert.equal(configuration.paused, true);
    const replaced = configurationOf({ ...draftOf(record), topic: 'ACCOUNT' }, 'new', record);
    assert.deepEqual(replaced.authentication, { type: 'BASIC', key: 'crm', secret: 'new' });
  });

  it('requires the secret if the key, or the scheme, host or port of the target, has changed', () => {
    const edited = draftOf(record);
    const stored = storedKeyOf(record);
    const faults = (change: Partial<Draft>) => Object.keys(draftErrors({ ...edited, ...change }, '', stored));
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ targetUrl: new URL('/elsewhere?x=1', edited.targetUrl).href }), []);
    assert.deepEqual(faults({ key: 'other' }), ['authentication.secret']);
    assert.deepEqual(faults({ targetUrl: 'https://other.example.net/' }), ['authentication.secret']);
  });

  it('keeps the parts of the focus that the new topic supports', () => {
    const mixed: Draft = {
      ...draft,
      topic: 'REGISTRATION',
      focus: [account, { type: 'COURSE', id: 2, name: null }],
    };
    assert.deepEqual(withTopic(mixed, 'ACCOUNT').focus, [account]);
  });

  it('rejects addresses that cannot be targets', () => {
    for (const targetUrl of ['', 'crm.example.com', 'ftp://a.example.com', 'https://a:b@c.example.com']) {
      assert.deepEqual(Object.keys(draftErrors({ ...draft, targetUrl }, '', null)), ['target_url']);
    }
  });

  it('explains the fault of an address that leads elsewhere than it seems', () => {
    const cases: [string, RegExp][] = [
      ['http:/crm.example.com', /two slashes/],
      ['https:crm.example.com', /two slashes/],
      ['https://crm.example.com\\evil/', /backslash/],
      ['https://crm.exam\tple.com', /tab or a line break/],
      ['https://crm.exam\u200bple.com', /invisible/],
      ['https://@crm.example.com', /user and password/],
    ];
    for (const [targetUrl, reason] of cases) {
      assert.match(draftErrors({ ...draft, targetUrl }, '', null).target_url ?? '', reason, targetUrl);
    }
  });
});

describe('the command that sends a message again manually', () => {
  it('is safe in a shell, whatever the message contains, and has no credentials', () => {
    const command = curlCommand({
      targetUrl: "https://a.example.com/?q='$(x)",
      messageId: 'id',
      body: `{"name":"it's $HOME"}`,
      withCredentials: true,
    });
    assert.match(command, /--data-binary '\{"name":"it'\\''s \$HOME"\}'$/);
    assert.match(command, /^curl -X POST 'https:\/\/a\.example\.com\/\?q='\\''\$\(x\)' \\\n/);
    assert.match(command, /-u 'KEY:SECRET'/);
  });
});
