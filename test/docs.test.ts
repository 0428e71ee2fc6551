import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { targetBody } from '../src/alerts/notices/chat-bodies.ts';
import type { NoticeContent } from '../src/alerts/notices/notice.ts';
import { noticeText } from '../src/alerts/notices/notice-text.ts';
import type { AuditAction } from '../src/audit/actions.ts';
import { runCommandLine } from '../src/cli/command-line.ts';
import type { Output } from '../src/cli/subcommands.ts';
import {
  incompleteReason,
  KNOWN_REASONS,
  statusReason,
  timeoutReason,
} from '../src/delivery/failure-reason.ts';
import { redirectReason } from '../src/delivery/redirect-reason.ts';
import { TargetGuard, TargetRefusedError } from '../src/delivery/target-guard.ts';
import { webhookSignature } from '../src/delivery/webhook-signature.ts';
import { SUBTOPICS, topicOf } from '../src/events/catalogue.ts';
import { MAX_MEMBERS } from '../src/http/json-body.ts';
import { PROBLEMS } from '../src/problems/problem.ts';
import { MAX_URL_LENGTH } from '../src/text-lengths.ts';
import { MessageBuilder } from '../src/webhooks/messages/message.ts';
import { SAMPLE_RESOURCES } from '../src/webhooks/messages/sample-events.ts';
import { keyOf } from '../src/webhooks/signing/signing-secret.ts';
import { aroundTests } from './support/around-tests.ts';
import { outcomeOf } from './support/command-in-process.ts';
import { startTestService, type TestService } from './support/service.ts';

// Runs on SQLite alone: the pages are the same on every database.

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('{docs,examples}/**/*.md', { cwd: ROOT }),
];

/**
 * The changes that stop, replace or remove something, and their words in the table of changes that a restore undoes.
 */
const REMOVALS = {
  MESSAGES_PURGED: /messages were .*purged/,
  MESSAGE_SKIPPED: /messages were .*skipped/,
  DEAD_LETTERS_REMOVED: /messages were .*removed from the dead letters/,
  WEBHOOK_UPDATED: /webhook was paused, deactivated.* changed/,
  WEBHOOK_DELETED: /webhook was .*deleted/,
  SIGNING_SECRET_REPLACED: /signing secret was replaced/,
  API_CLIENT_SECRET_REPLACED: /client secret was replaced/,
  API_CLIENT_UPDATED: /API client was .*disabled.* scopes/,
  API_CLIENT_DELETED: /API client was deleted/,
  ADMINISTRATOR_UPDATED: /administrator .* disabled.* role/,
  ADMINISTRATOR_DELETED: /administrator .* deleted/,
  SESSIONS_ENDED: /session was ended/,
  PASSWORD_CHANGED: /password was changed/,
  PASSWORD_SET: /password was .*set with a link/,
  ACCOUNT_UPDATED: /account was deactivated/,
  CONTENT_REMOVED: /content was removed from it/,
  ACCOUNT_DELETED: /account, .* deleted/,
  REGISTRATION_DELETED: /registration .* deleted/,
  COURSE_DELETED: /content was deleted/,
  ALERT_UPDATED: /alert rule was disabled.* changed/,
  ALERT_DELETED: /alert rule was .*deleted/,
} as const satisfies Partial<Record<AuditAction, RegExp>>;

function read(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

/** The texts of a page's code blocks of a language. */
function blocksOf(page: string, language: string): string[] {
  return [...read(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , text]) => text!);
}

/** The rows of the table of changes that a restore undoes. */
function restoredRows(): string[] {
  const [, section = ''] = /^### After a restore$(.*?)^## /ms.exec(read('docs/operating.md')) ?? [];
  return section.split('\n').filter((line) => line.startsWith('| '));
}

/** A heading's anchor, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** The actor of a message: learners launch, and API clients do everything else, including the report of a status. */
function actorOf({
  subtopic,
  resource,
}: {
  subtopic: string;
  resource: Record<string, { learner_id: string }>;
}) {
  return subtopic === 'REGISTRATION_LAUNCHED' ? resource.registration!.learner_id : 'integration@example.com';
}

describe('docs/receiving.md', () => {
  it('shows the message of every event as the service builds it from the sample', () => {
    const shown = blocksOf('docs/receiving.md', 'json').map((block) => JSON.parse(block));
    assert.deepEqual(
      shown.map(({ subtopic }) => subtopic),
      [...SUBTOPICS],
    );
    for (const [index, subtopic] of SUBTOPICS.entries()) {
      const message = shown[index];
      const built = new MessageBuilder({
        subtopic,
        resource: SAMPLE_RESOURCES[subtopic],
        user: actorOf(message),
        occurredAt: Date.parse(message.timestamp),
      }).build({
        id: message.subscription_id,
        name: message.name,
        topic: topicOf(subtopic),
        target_url: message.target_url,
        logging_mode: 'FULLONERROR',
        max_attempts: message.max_attempts,
      });
      // Compared as text, because the order of members counts.
      assert.equal(JSON.stringify(message), built, subtopic);
    }
  });

  it('shows the signature of a request as the service signs it', () => {
    const [, rows = ''] = /^\| part \| value \|$(.*?)^$/ms.exec(read('docs/receiving.md')) ?? [];
    const [secret = '', messageId = '', timestamp = '', body = '', signature = ''] = Array.from(
      rows.matchAll(/\| `([^`]+)` \|$/gm),
      ([, value]) => value,
    );
    const parts = { messageId, timestamp: Number(timestamp), body };
    assert.equal(webhookSignature({ current: keyOf(secret), former: null }, parts, 0), signature);
  });
});

describe('the API, its description and docs/api.md', () => {
  let service: TestService;
  let document: {
    paths: Record<string, Record<string, { tags?: string[]; security?: Record<string, string[]>[] }>>;
    webhooks: Record<string, Record<string, { tags?: string[] }>>;
    tags: { name: string; description?: string }[];
  };

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as typeof document;
  });

  it('contain the same calls', () => {
    const described = Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    const headings = [...read('docs/api.md').matchAll(/^### `((?:GET|POST|PUT|DELETE) [^`]+)`$/gm)];
    assert.deepEqual(
      headings.map(([, call]) => call).sort(),
      described.sort(),
      'a heading for each call, once, and none for another',
    );
  });

  it('need the same scopes in each section that names scopes', () => {
    const sections = read('docs/api.md')
      .split(/^## /m)
      .filter((section) => /\bneeds?\s+the\s+scope\b/.test(section));
    assert.ok(sections.length > 2, 'some sections name scopes');
    for (const section of sections) {
      const named = Array.from(section.matchAll(/`(\w+:(?:read|write))`/g), ([, scope]) => scope);
      const calls = section.matchAll(/^### `(\w+) ([^`]+)`$/gm);
      const needed = Array.from(calls, ([, method = '', route = '']) => {
        const { security = [] } = document.paths[route]?.[method.toLowerCase()] ?? {};
        return security.flatMap(({ oauth2 = [] }) => oauth2);
      });
      assert.deepEqual(
        [...new Set(named)].sort(),
        [...new Set(needed.flat())].sort(),
        section.split('\n')[0],
      );
    }
  });

  it('describe exactly the tags that are used', () => {
    const operations = [document.paths, document.webhooks].flatMap((each) =>
      Object.entries(each).flatMap(([name, methods]) =>
        Object.values(methods).map((operation) => ({ name, operation })),
      ),
    );
    for (const { name, operation } of operations) assert.ok(operation.tags?.length, `${name} has a tag`);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
    assert.deepEqual(document.tags.map(({ name }) => name).sort(), [...used].sort());
    for (const { name, description } of document.tags) assert.ok(description, `${name} is described`);
  });

  it('show the notice of an alert as it is sent', () => {
    const [shown, ...others] = blocksOf('docs/api.md', 'json')
      .map((block) => JSON.parse(block))
      .filter(({ type }) => type === 'alert.began');
    assert.deepEqual(others, []);
    const [began, since] = [Date.UTC(2026, 10, 21, 2, 40, 13, 680), Date.UTC(2026, 10, 21, 2, 25, 9, 702)];
    const [firing] = shown.firings;
    const { reason, explanation, failures, waiting } = firing;
    const content: NoticeContent = {
      kind: 'BEGAN',
      rule: shown.alert,
      firings: [
        {
          subject: firing.subject,
          name: firing.name,
          webhookId: firing.webhook_id,
          since,
          endedAt: null,
          endReason: null,
          details: { reason, explanation, failures, waiting },
        },
      ],
      total: 1,
      timeZone: 'UTC',
      repliesTo: [],
    };
    const text = noticeText(content, 'http://127.0.0.1:8080');
    const sent = targetBody('JSON', { batch: shown.id, content, createdAt: began }, text);
    assert.deepEqual(shown, JSON.parse(sent));
  });

  it('name the code of every problem', () => {
    const cells = [...read('docs/api.md').matchAll(/^\| [\d, ]+ \| (`.*?`) \|/gm)].map(([, cell]) => cell!);
    const named = cells.flatMap((cell) => Array.from(cell.matchAll(/`([a-z-]+)`/g), ([, code]) => code!));
    assert.deepEqual(named.sort(), Object.keys(PROBLEMS).sort());
  });

  it('show responses that are valid JSON', () => {
    for (const block of blocksOf('docs/api.md', 'json')) assert.doesNotThrow(() => JSON.parse(block), block);
  });
});

describe('docs/operating.md', () => {
  it('has the limit of members in a JSON body', () => {
    const row = `| members of all objects in a JSON body | ${MAX_MEMBERS.toLocaleString('en')};`;
    assert.ok(read('docs/operating.md').includes(row));
  });

  it('advises to restore without deliveries and alerts at first, because what was stopped since the backup works again', () => {
    const [, steps = ''] = /^## Restore$(.*?)^### After a restore$/ms.exec(read('docs/operating.md')) ?? [];
    const [first, second] = ['`enable_queue_polling: false` and `enable_alerts: false`', '#after-a-restore'];
    assert.ok(steps.includes(first), `${first} in: ${steps}`);
    assert.ok(steps.indexOf(second) > steps.indexOf(first), `${second} in: ${steps}`);
  });

  it('advises to restore with the current webhooks_auth_secret, because the former one may have leaked', () => {
    const [, steps = ''] = /^## Restore$(.*?)^### After a restore$/ms.exec(read('docs/operating.md')) ?? [];
    assert.match(steps, /`webhooks_auth_secret_previous`/);
    assert.match(restoredRows().join('\n'), /`webhooks_auth_secret` was changed.*re-encrypt.*_previous`/);
  });

  it('says for each kind of change that stops or removes something that a restore undoes it', () => {
    const rows = restoredRows();
    for (const [action, words] of Object.entries(REMOVALS))
      assert.ok(
        rows.some((row) => words.test(row.split('|')[1]!)),
        action,
      );
  });
});

describe('docs/troubleshooting.md', () => {
  /** The reasons in the first column of the table of reasons, except for statuses. */
  function explainedReasons(): string[] {
    const [, section = ''] =
      /^### Reasons of failed attempts$(.*?)^### /ms.exec(read('docs/troubleshooting.md')) ?? [];
    return [...section.matchAll(/^\| (`[^|]+) \|/gm)]
      .flatMap(([, reasons]) => [...reasons!.matchAll(/`([^`]+)`/g)].map(([, reason]) => reason!))
      .filter((reason) => !/^\d{3} /.test(reason));
  }

  /** The reasons that are not in {@link KNOWN_REASONS}: those in calls in delivery, and lost secrets. */
  function reasonsInCalls(): string[] {
    const files = [
      'delivery/postback-request',
      'delivery/postback-sender',
      'delivery/attempt',
      'webhooks/delivery-targets',
    ];
    const call = /(?:(?:#fail|notSent)\(|_REASON = )'([^']+)'(?!.*\{ aborted)/g;
    return files.flatMap((file) => [...read(`src/${file}.ts`).matchAll(call)].map(([, reason]) => reason!));
  }

  it('explains exactly the reasons of failed attempts that exist', () => {
    const guard = new TargetGuard({ allowedNetworks: [] });
    const urls = [
      `http://${'x'.repeat(MAX_URL_LENGTH)}`,
      'http://x/\n',
      'x',
      'ftp://x/',
      'http://a:b@x/',
      'http://10.0.0.1/',
    ];
    const exist = [
      ...KNOWN_REASONS,
      ...reasonsInCalls(),
      ...urls.map((url) => guard.checkUrl(url)!),
      new TargetRefusedError('10.0.0.1', { ofName: true }).message,
      timeoutReason(30_000),
      incompleteReason(200, '…'),
    ];
    assert.deepEqual(explainedReasons().sort(), [...new Set(exist)].sort());
  });

  it('shows a redirect as delivery describes it', () => {
    const reason = redirectReason(statusReason(301, null), {
      status: 301,
      location: 'https://example.com',
      url: 'http://example.com',
    });
    assert.ok(read('docs/troubleshooting.md').includes(`\`${reason.replace('example.com/', '…')}\``));
  });
});

describe('the pages of docs/', () => {
  it('explain every line of the log that warns or reports an error', () => {
    const text = globSync('docs/*.md', { cwd: ROOT }).map(read).join('\n').replaceAll(/\s+/g, ' ');
    const lines = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', 'src/course-packages/**'] })
      .flatMap((file) => [
        ...read(file).matchAll(/\b(?:warn|error|fatal)\(\s*['`]([^'`]*)/g),
        ...read(file).matchAll(/\bbegins: ['`]([^'`]*)/g),
      ])
      // What a person looks for: the words before the details, which may be those of the error.
      .map(([, line]) => /^[^:;.,($]*/.exec(line!)![0].trim())
      .filter((line) => line !== '');
    assert.ok(lines.length > 60, `${lines.length}`);
    assert.deepEqual(
      lines.filter((line) => !text.includes(line)),
      [],
    );
  });

  it('name every command of the program', async () => {
    const helpOf = async (...args: string[]) => {
      const run = (output: Required<Output>) => runCommandLine([...args, '--help'], { ...output, env: {} });
      return (await outcomeOf(run)).out;
    };
    const namesIn = (help: string, line: RegExp) => {
      const [, list = ''] = /^Commands:\n(.*?)^$/ms.exec(help) ?? [];
      return Array.from(list.matchAll(line), ([, name = '']) => name);
    };
    const groups = namesIn(await helpOf(), /^ {2}(\w+) …/gm);
    assert.ok(groups.includes('client') && groups.length > 5, groups.join());
    const text = PAGES.filter((page) => /^docs\/[^/]+$/.test(page))
      .map(read)
      .join('\n');
    for (const group of groups)
      for (const name of namesIn(await helpOf(group), /^ {2}([a-z-]+)/gm))
        assert.ok(new RegExp(`\\b${group} ${name}\\b`).test(text), `no page names ${group} ${name}`);
  });
});

describe('all pages', () => {
  it('link only to pages and headings that exist', () => {
    for (const page of PAGES) {
      for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link!)) continue;
        const [file = '', anchor] = link!.split('#');
        const target = path.normalize(path.join(path.dirname(page), file || path.basename(page)));
        assert.ok(existsSync(path.join(ROOT, target)), `${page} links to ${link}`);
        if (anchor === undefined) continue;
        const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
        assert.ok(headings.includes(anchor), `${page} links to ${link}`);
      }
    }
  });
});
