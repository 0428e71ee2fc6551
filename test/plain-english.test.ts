import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { aroundTests } from './support/around-tests.ts';
import { startTestService, type TestService } from './support/service.ts';

// Runs on SQLite alone: it reads files.

const ROOT = path.join(import.meta.dirname, '..');
/** It quotes every phrase. */
const THIS_FILE = 'test/plain-english.test.ts';
const SERVICE_AND_UI = ['src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'web/player/src/**/*.ts'];
const TESTS_AND_SCRIPTS = ['test', 'demo', 'scripts', 'bench'].map((folder) => `${folder}/**/*.ts`);
const TESTS_IN_SRC = 'src/**/*.test.ts';

/** Phrases that readers stumble over, each with what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again, or from zero'],
  [/\b(?:tells?|told|telling) of\b/i, 'notify, describe or report'],
  [/\b(?:is|are|be|was|were) told\b/i, 'is notified, or receives'],
  [/\bstands? (?:in|on|under|at|behind|beside|there|here|still|with)\b/i, 'is in, appears in, waits'],
  [/\bas (?:it is|they are) to be\b/i, 'the new state, or nothing'],
  [/\b(?:nothing|none) fits\b/i, 'no results'],
  [/\b(?:is|are|was|were|when|be) left out\b/i, 'omitted; for a default: defaults to …'],
  [/\bby hand\b/i, 'manually'],
  [/\bgiven up\b/i, 'moved to dead letters'],
  [/\bthere is no such\b/i, 'not found'],
  [/\bwhat (?:there is|is out|is odd|fits)\b/i, 'name the things'],
  [
    /\b(?:beside|past) the (?:line|queue|service|running)\b/i,
    'bypassing the queue; while the service is running',
  ],
  [/\bput in line\b/i, 'queued'],
  [/\bevery line moves\b/i, 'no blocked webhooks'],
  [/\blately\b/i, 'recent'],
  [/\bmend(?:s|ed|ing)?\b/i, 'correct, fix'],
  [/\b(?:the|its|their) present [a-z]/i, 'current'],
  [/\bin silence\b/i, 'silently'],
  [/\b(?:overtakes?|overtaken)\b/i, 'out of order; later messages wait'],
  [/\bno (?:more|longer) than it\b/i, 'say the limit'],
  [/\bmust NOT\b/, 'say what is allowed'],
  [/\b(?:do|does|did|will) not notice\b/i, 'is not affected'],
  [/\bCauses? (?:no event|the event|[A-Z]+_)/, 'triggers'],
  [/\bsay your\b/i, 'enter your'],
  [/\bgo on editing\b/i, 'keep editing'],
  [/\bgoes? with (?:it|them)\b/i, 'is also deleted'],
  [/\bhold(?:s|ing)? up\b/i, 'delay, block'],
  [/\bin vain\b/i, 'without effect'],
  [/\bcut short\b/i, 'truncated'],
  [/\bnobody (?:answers|is answered)\b/i, 'does not respond; no request is answered'],
  [/\bwhat (?:became|becomes) of\b/i, 'the result of'],
  [/\bwhatever (?:became|becomes)\b/i, 'whether or not it succeeded'],
  [/\ball the same\b/i, 'still, anyway'],
  [/\bdo(?:es)? harm\b/i, 'malicious'],
  [/\bnone of ours\b/i, 'not one of ours'],
  [/\bgo(?:es)? on to\b/i, 'continue to, keep …ing'],
  [/\b(?:is|are|was|were) taken (?:as|for)\b/i, 'treated as, mistaken for'],
  [/\b(?:is|are|was|were) asked for\b/i, 'requested'],
  [/\bbeside (?:its|it|them|what|this|that)\b/i, 'in addition to'],
  [/\bthe others’|\bthe others'/i, 'that of the others'],
  [/\bof (?:this|another|one) moment\b/i, 'current, at another time'],
  [/\bpower cut\b/i, 'power failure'],
  [/\btak(?:es?|ing) away\b/i, 'remove'],
  [/\bstood still\b/i, 'was blocked'],
  [/\bas (?:it|they) stands?\b/i, 'unchanged'],
  [/\bin whatever (?:case|order|form)\b/i, 'ignoring case; in any order'],
  [/\bof bounded\b/i, 'limited'],
  [/\bwhole or in part\b/i, 'complete or not'],
  [/\bheld against\b/i, 'compared with, matched with'],
  [/\bwhat (?:\w+ ){1,3}(?:comes?|came) to\b/i, 'the result, the effective value'],
  [/\bmakes? or replaces?\b/i, 'create or replace'],
  [/(?<!disposed )\bof before\b/i, 'earlier, or before the given time'],
  [/\bone argument too many\b/i, 'unexpected argument'],
  [/\bon this page you\b/i, 'use this page to …, or: this page explains …'],
  [
    // A number is of use only if the reader can open the document: a standard, whose name comes just before it.
    /(?<!\b(?:RFC|draft-ietf|NIST|XML|SCORM|CMI001|cmi5|xAPI|Experience API)\b(?:[^.]|\.\d){0,60})\b(?:sections?|invariants?) \d/i,
    'the rule itself, a link to docs/, or the section of a named standard',
  ],
  [/\((?:architecture|decisions|specification),/i, 'the rule itself, or a link to docs/'],
];

/** A name often has only a part of a phrase. */
const BANNED_IN_NAMES: readonly (readonly [RegExp, string])[] = [
  ...BANNED,
  [/told\b/, 'notified, sent, shown or reported'],
  [/\bstands\b/, 'is in, is at'],
];

/** The names of tests are read in a list of failures, without those of other tests. */
const BANNED_IN_TEST_NAMES: readonly (readonly [RegExp, string])[] = [
  ...BANNED_IN_NAMES,
  [/\beven then\b/i, 'the case, which another test names'],
  [/(?<!\b(?:is|are|was|were|do|does|did|or)) not$/, 'not by …'],
];

interface Text {
  /** Where a person finds it: a file and its line, or a place in the API's description. */
  place: string;
  text: string;
}

function complaintsAbout(texts: readonly Text[], banned = BANNED): string[] {
  return texts.flatMap(({ place, text }) =>
    banned.flatMap(([phrase, instead]) => {
      const found = phrase.exec(text);
      return found === null ? [] : [`${place}: “${found[0]}” (write: ${instead})`];
    }),
  );
}

/** The paragraphs of a page of documentation. Lines are joined, so that a phrase is found across a line break. */
function paragraphsOf(file: string): Text[] {
  let line = 1;
  return contentOf(file)
    .split('\n\n')
    .map((paragraph) => {
      const place = `${file}:${line}`;
      line += paragraph.split('\n').length + 1;
      return { place, text: paragraph.replaceAll(/\s+/g, ' ') };
    });
}

function contentOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function linesOf(file: string, content = contentOf(file)): Text[] {
  return content.split('\n').map((text, index) => ({ place: `${file}:${index + 1}`, text }));
}

/** The comments of a file, each on one line. Consecutive lines are joined, so that a phrase is found across a line break. */
function commentsOf(file: string, content = contentOf(file)): Text[] {
  const comments: Text[] = [];
  let isOpen = false;
  for (const { place, text } of linesOf(file, content)) {
    const line = text.trim().replace(/^(?:\/\*\*?|\*(?!\/)|\/\/)\s*/, '');
    if (!isComment(text)) isOpen = false;
    else if (isOpen && !/^\s*\/\*/.test(text)) comments.at(-1)!.text += ` ${line}`;
    else {
      comments.push({ place, text: line });
      isOpen = true;
    }
  }
  return comments;
}

/** Parts of a line, each with its place; none of a comment. */
function partsOf(find: (line: string) => string[]): (line: Text) => Text[] {
  return ({ place, text }) => (isComment(text) ? [] : find(text).map((part) => ({ place, text: part })));
}

function isComment(line: string): boolean {
  return /^\s*(?:\/?\*|\/\/)/.test(line);
}

/** The texts of several words in a line of code. */
function literalsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|`([^`]*)`?/g)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .filter((text) => / \w/.test(text));
}

/** The names in a line of code, as words. */
function namesOf(line: string): string[] {
  const code = line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`?|\/\/.*$/g, ' ');
  return [...new Set(code.match(/[A-Za-z_$][\w$]*/g))].map((name) =>
    name
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase()
      .replace(/\bstand in/, 'stand-in'),
  );
}

/** The names of the tests of a file. */
function testNamesOf(file: string, content = contentOf(file)): Text[] {
  const calls = content.matchAll(/\b(?:it|test|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g);
  return [...calls].map(({ index, 2: name }) => {
    const line = content.slice(0, index).split('\n').length;
    return { place: `${file}:${line}`, text: name!.replaceAll(/\s+/g, ' ') };
  });
}

/** Every text of a JSON value, with the path to it. */
function textsOf(value: unknown, place: string): Text[] {
  if (typeof value === 'string') return [{ place, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, `${place} > ${name}`));
}

/** The files of these patterns, each of which has some: a folder may be renamed. */
function files(...patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const matching = globSync(pattern, { cwd: ROOT });
    assert.ok(matching.length > 0, `there are files ${pattern}`);
    return matching.map((file) => file.replaceAll(path.sep, '/'));
  });
  return [...new Set(found)].filter((file) => file !== THIS_FILE).sort();
}

describe('plain English', () => {
  it('is checked by phrases that match the sentences they were written for', () => {
    const text = 'The counting starts anew and nobody is told of what is left out.';
    assert.deepEqual(complaintsAbout([{ place: 'here', text }]), [
      'here: “anew” (write: again, or from zero)',
      'here: “told of” (write: notify, describe or report)',
      'here: “is told” (write: is notified, or receives)',
      'here: “is left out” (write: omitted; for a default: defaults to …)',
    ]);
  });

  it('is checked in comments, literals, names and the names of tests, each with its place', () => {
    const source = `/**
 * Nobody is
 * told.
 */
const isLateUntold = 'what is left' + 'nothing of before';
it(
  'sends it even then',
  // Starts anew.
);`;
    const lines = linesOf('a.ts', source);
    assert.deepEqual(complaintsAbout(commentsOf('a.ts', source)), [
      'a.ts:1: “is told” (write: is notified, or receives)',
      'a.ts:8: “anew” (write: again, or from zero)',
    ]);
    assert.deepEqual(complaintsAbout(lines.flatMap(partsOf(literalsOf))), [
      'a.ts:5: “of before” (write: earlier, or before the given time)',
    ]);
    assert.deepEqual(complaintsAbout(lines.flatMap(partsOf(namesOf)), BANNED_IN_NAMES), [
      'a.ts:5: “told” (write: notified, sent, shown or reported)',
    ]);
    assert.deepEqual(complaintsAbout(testNamesOf('a.ts', source), BANNED_IN_TEST_NAMES), [
      'a.ts:6: “even then” (write: the case, which another test names)',
    ]);
  });

  it('allows sections of standards, but not of documents that the reader does not have', () => {
    const allowed = [
      'HTTP Basic (RFC 6749 section 2.3.1)',
      'Data (xAPI 1.0.3, section 2.4 of "Data")',
      'as cmi5 defines it (sections 7.1 and 9)',
    ];
    for (const text of allowed) assert.deepEqual(complaintsAbout([{ place: 'here', text }]), [], text);
    const banned = ['Section 2.3.', 'The limits of RFC 9110. See section 8.', '(architecture, invariant 6)'];
    for (const text of banned) assert.ok(complaintsAbout([{ place: 'here', text }]).length > 0, text);
  });

  it('is used by the documentation', () => {
    const pages = files('*.md', 'docs/**/*.md', 'examples/**/*.md', 'web/*.md');
    assert.deepEqual(complaintsAbout(pages.flatMap(paragraphsOf)), []);
  });

  it('is used by the comments of the code', () => {
    const comments = files(...SERVICE_AND_UI, ...TESTS_AND_SCRIPTS).flatMap((file) => commentsOf(file));
    assert.ok(comments.length > 1_000, 'the code has comments');
    assert.deepEqual(complaintsAbout(comments), []);
  });

  it('names what a comment describes, instead of referring to the comment before', () => {
    const vague = [[/^The same\b/, 'what it does, or: Like {@link …}, …']] as const;
    const comments = files('src/**/*.ts').flatMap((file) => commentsOf(file));
    assert.deepEqual(complaintsAbout(comments, vague), []);
    assert.equal(complaintsAbout([{ place: 'here', text: 'The same for routes.' }], vague).length, 1);
  });

  it('is used by the messages of the service: responses, log lines and commands', () => {
    const texts = files('src/**/*.ts')
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => linesOf(file))
      .flatMap(partsOf(literalsOf));
    assert.ok(texts.length > 1_000, 'the service has messages');
    assert.deepEqual(complaintsAbout(texts), []);
  });

  it('is used by the texts of tests, scripts, the demo and the bench', () => {
    const texts = files(...TESTS_AND_SCRIPTS, TESTS_IN_SRC)
      .flatMap((file) => linesOf(file))
      .flatMap(partsOf(literalsOf));
    assert.ok(texts.length > 1_000, 'they have texts');
    assert.deepEqual(complaintsAbout(texts), []);
  });

  it('is used by the names in the code', () => {
    const names = files(...SERVICE_AND_UI, ...TESTS_AND_SCRIPTS)
      .flatMap((file) => linesOf(file))
      .flatMap(partsOf(namesOf));
    assert.ok(names.length > 10_000, 'the code has names');
    assert.deepEqual(complaintsAbout(names, BANNED_IN_NAMES), []);
  });

  it('is used by the names of tests', () => {
    const names = files('test/**/*.ts', TESTS_IN_SRC).flatMap((file) => testNamesOf(file));
    assert.ok(names.length > 3_000, 'tests have names');
    assert.deepEqual(complaintsAbout(names, BANNED_IN_TEST_NAMES), []);
  });

  it('is used by the texts of the admin UI', () => {
    assert.deepEqual(complaintsAbout(files('web/src/texts/*.ts').flatMap((file) => linesOf(file))), []);
  });

  it("is used by the texts of the learner's page", () => {
    const texts = files('web/player/src/texts.ts', 'web/player/index.html');
    assert.equal(texts.length, 2);
    assert.deepEqual(complaintsAbout(texts.flatMap((file) => linesOf(file))), []);
  });

  describe('of the API', () => {
    let service: TestService;
    aroundTests(async (parts) => {
      service = parts.use(await startTestService());
    });

    it('is used by its description', async () => {
      const document: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
      const texts = textsOf(document, 'openapi.json');
      assert.ok(texts.length > 500, 'the description has texts');
      assert.deepEqual(complaintsAbout(texts), []);
    });
  });
});
