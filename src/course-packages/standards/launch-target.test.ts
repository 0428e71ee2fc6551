import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { PAGE, SCORM_12, scormManifest } from '../../../test/support/course-packages.ts';
import type { LaunchTarget } from '../package-description.ts';

const FILES = {
  'index.html': PAGE,
  'shared/start.html': PAGE,
  'shared/My Lesson.html': PAGE,
  '100%.html': PAGE,
  '50%.html': PAGE,
  '50%25.html': PAGE,
  'a+b/ü.html': PAGE,
  'start.php': PAGE,
  start: PAGE,
  'slides.pdf': '',
  'film.MP4': '',
};

interface Reference {
  readonly href: string;
  readonly parameters?: string;
  readonly bases?: readonly [manifest: string | undefined, resource?: string];
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

async function inspect({ href, parameters, bases = [undefined] }: Reference) {
  const base = (value: string | undefined) => (value === undefined ? '' : ` xml:base="${value}"`);
  const attributes = parameters === undefined ? '' : ` parameters="${escaped(parameters)}"`;
  const manifest = scormManifest(SCORM_12, {
    items: `<item identifier="i1" identifierref="r1"${attributes}/>`,
    resources: `<resource identifier="r1" adlcp:scormtype="sco" href="${escaped(href)}"${base(bases[1])}/>`,
  }).replace('<manifest ', `<manifest${base(bases[0])} `);
  return inspectFiles({ ...FILES, 'imsmanifest.xml': manifest });
}

const file = (path: string, query = '', fragment = ''): LaunchTarget => ({
  kind: 'file',
  file: path,
  query,
  fragment,
});
const external = (url: string): LaunchTarget => ({ kind: 'external', url });

describe('where a unit opens', () => {
  const references: [what: string, reference: Reference, launch: LaunchTarget][] = [
    ['a file', { href: 'shared/start.html' }, file('shared/start.html')],
    ['a file with dots in its path', { href: './shared/../index.html' }, file('index.html')],
    [
      'a file with query and fragment',
      { href: 'index.html?a=1&b=2#p?3' },
      file('index.html', '?a=1&b=2', '#p?3'),
    ],
    [
      'a query with characters that a URL may not have',
      { href: 'index.html?a= ü\'"#<b>' },
      file('index.html', '?a=%20%C3%BC%27%22', '#%3Cb%3E'),
    ],
    ['a file with encoded characters', { href: 'shared/My%20Lesson.html' }, file('shared/My Lesson.html')],
    [
      'a file with characters that should be encoded',
      { href: 'shared/My Lesson.html' },
      file('shared/My Lesson.html'),
    ],
    ['a file with a percent sign that encodes nothing', { href: '100%.html' }, file('100%.html')],
    ['a file with a plus sign, which is no space', { href: 'a+b/%C3%BC.html' }, file('a+b/ü.html')],
    ['a file with backslashes', { href: 'shared\\start.html' }, file('shared/start.html')],
    [
      'a file below xml:base of the manifest',
      { href: 'start.html', bases: ['shared/'] },
      file('shared/start.html'),
    ],
    [
      'a file below xml:base of the resource, without its last slash',
      { href: 'start.html', bases: [undefined, 'shared'] },
      file('shared/start.html'),
    ],
    [
      'a file below both',
      { href: 'start.html', bases: ['shared/', '../shared/'] },
      file('shared/start.html'),
    ],
    [
      'an address elsewhere',
      { href: 'https://courses.example/a?b=1#c' },
      external('https://courses.example/a?b=1#c'),
    ],
    [
      'an address elsewhere, whatever xml:base',
      { href: 'http://courses.example/a', bases: ['shared/'] },
      external('http://courses.example/a'),
    ],
    [
      'an address elsewhere by xml:base',
      { href: 'a/b.html', bases: ['https://courses.example/c/'] },
      external('https://courses.example/c/a/b.html'),
    ],
  ];
  for (const [what, reference, launch] of references) {
    it(`may be ${what}`, async () => {
      const { units, warnings } = await inspect(reference);
      assert.deepEqual(units[0]?.launch, launch);
      assert.equal(warnings.length, launch.kind === 'external' ? 1 : 0);
    });
  }

  it('may be a file written in different upper and lower case, with a warning', async () => {
    const { units, warnings } = await inspect({ href: 'Shared/Start.HTML' });
    assert.deepEqual(units[0]?.launch, file('shared/start.html'));
    assert.deepEqual(warnings, [
      'The manifest names the file "Shared/Start.HTML" with different upper and lower case: its name is "shared/start.html".',
    ]);
  });

  it('is the file of the name as it is written, if that of the decoded name exists, too', async () => {
    const { units, warnings } = await inspect({ href: '50%25.HTML' });
    assert.deepEqual(units[0]?.launch, file('50%25.html'));
    assert.deepEqual(warnings, [
      'The manifest names the file "50%25.HTML" with different upper and lower case: its name is "50%25.html".',
    ]);
  });

  it('is the same file in either Unicode form', async () => {
    const { units, warnings } = await inspect({ href: 'a+b/u\u0308.html' });
    assert.deepEqual(units[0]?.launch, file('a+b/ü.html'));
    assert.deepEqual(warnings, []);
  });
});

describe('a file that a unit opens', () => {
  for (const name of ['start.php', 'start'])
    it(`has a warning if browsers download it, such as ${name}`, async () => {
      const { units, warnings } = await inspect({ href: `${name}?a=1` });
      assert.deepEqual(units[0]?.launch, file(name, '?a=1'));
      assert.deepEqual(warnings, [
        `The unit "i1" opens the file "${name}". By its name, browsers download it instead of showing it. ` +
          'The name of a page must end in .html. Programs such as .php are not run.',
      ]);
    });

  for (const name of ['slides.pdf', 'film.MP4'])
    it(`has no warning if browsers show it, such as ${name}`, async () => {
      assert.deepEqual((await inspect({ href: name })).warnings, []);
    });
});

describe('the parameters of a unit', () => {
  const parameters: [href: string, parameters: string, launch: LaunchTarget][] = [
    ['index.html', 'a=1', file('index.html', '?a=1')],
    ['index.html', '?a=1', file('index.html', '?a=1')],
    ['index.html', '&?&a=1', file('index.html', '?a=1')],
    ['index.html?b=2', '?a=1', file('index.html', '?b=2&a=1')],
    ['index.html?b=2#c', 'a=1', file('index.html', '?b=2&a=1', '#c')],
    ['index.html', '#d', file('index.html', '', '#d')],
    ['index.html#c', '#d', file('index.html', '', '#c')],
    ['index.html', '?', file('index.html')],
    ['https://courses.example/?b=2', 'a=1', external('https://courses.example/?b=2&a=1')],
  ];
  for (const [href, added, launch] of parameters) {
    it(`${JSON.stringify(added)} are added to ${href}`, async () => {
      const { units } = await inspect({ href, parameters: added });
      assert.deepEqual(units[0]?.launch, launch);
    });
  }
});

describe('a unit that cannot be opened', () => {
  const references: [what: string, reference: Reference, code: string][] = [
    ['a file that is not there', { href: 'gone.html' }, 'LAUNCH_FILE_MISSING'],
    ['a folder', { href: 'shared/' }, 'LAUNCH_FILE_MISSING'],
    ['only a query', { href: '?a=1' }, 'LAUNCH_FILE_MISSING'],
    ['nothing', { href: ' ' }, 'LAUNCH_INVALID'],
    ['a path that climbs out', { href: '../index.html' }, 'LAUNCH_INVALID'],
    ['a path that climbs out further in', { href: 'shared/../../index.html' }, 'LAUNCH_INVALID'],
    ['a path that climbs out encoded', { href: '%2e%2e/index.html' }, 'LAUNCH_INVALID'],
    ['a path that climbs out with backslashes', { href: '..\\index.html' }, 'LAUNCH_INVALID'],
    ['a path that climbs out by xml:base', { href: 'index.html', bases: ['../'] }, 'LAUNCH_INVALID'],
    ['an absolute path', { href: '/index.html' }, 'LAUNCH_INVALID'],
    ['an address without scheme', { href: '//courses.example/' }, 'LAUNCH_INVALID'],
    ['a script', { href: 'javascript:alert(1)' }, 'LAUNCH_INVALID'],
    ['data', { href: 'data:text/html,hello' }, 'LAUNCH_INVALID'],
    ['a file of the machine', { href: 'file:///etc/passwd' }, 'LAUNCH_INVALID'],
    ['a drive', { href: 'C:\\index.html' }, 'LAUNCH_INVALID'],
    ['an address without host', { href: 'http://' }, 'LAUNCH_INVALID'],
    ['an address with credentials', { href: 'http://user:pass@courses.example/' }, 'LAUNCH_INVALID'],
    [
      'an address that is too long',
      { href: `https://courses.example/${'a'.repeat(2048)}` },
      'LAUNCH_INVALID',
    ],
    ['parameters that are too long', { href: 'index.html', parameters: 'a'.repeat(2048) }, 'LAUNCH_INVALID'],
  ];
  for (const [what, reference, code] of references) {
    it(`because it names ${what} is refused: ${code}`, () => assert.rejects(inspect(reference), { code }));
  }
});
