import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { aiccFiles, PAGE } from '../../../test/support/course-packages.ts';
import { flatStructure, type StructureItem } from '../course-structure.ts';

const AU_HEADER = '"System_ID","File_Name"\r\n';

function without(...names: string[]) {
  return Object.fromEntries(Object.entries(aiccFiles()).filter(([name]) => !names.includes(name)));
}

describe('an AICC course', () => {
  it('is described completely', async () => {
    assert.deepEqual(await inspectFiles(aiccFiles({ title: 'Golf, explained', identifier: 'G1' })), {
      learningStandard: 'AICC',
      title: 'Golf, explained',
      structure: flatStructure('G1', [{ id: 'A1', title: 'Lesson 1' }]),
      units: [
        {
          id: 'A1',
          title: 'Lesson 1',
          launch: { kind: 'file', file: 'index.html', query: '?mode=web', fragment: '' },
          reports: true,
          masteryScore: 80,
          completionThreshold: null,
          launchData: 'level=2',
          maxTimeAllowed: '00:30:00',
          timeLimitAction: 'exit,message',
          cmi5: null,
        },
      ],
      warnings: [],
    });
  });

  it('may have its names in upper or lower case', async () => {
    const { title, units } = await inspectFiles({
      'GOLF.CRS': '[COURSE]\nCOURSE_TITLE=Golf',
      'GOLF.AU': 'SYSTEM_ID,FILE_NAME\na1,index.html',
      'Golf.Des': 'system_id,title\nA1,Putting',
      'golf.CST': 'block,member\nroot,a1',
      'index.html': PAGE,
    });
    assert.equal(title, 'Golf');
    assert.deepEqual(
      units.map(({ id, title }) => [id, title]),
      [['a1', 'Putting']],
    );
  });

  it('uses the files that have the name of its description', async () => {
    const { units } = await inspectFiles({ ...aiccFiles(), 'another.au': `${AU_HEADER}X,gone.html` });
    assert.deepEqual(
      units.map(({ id }) => id),
      ['A1'],
    );
  });

  it('is read from its own files, not from those in which macOS stores their attributes', async () => {
    const resource = '\0\x05\x16\x07\0\x02\0\0Mac OS X';
    const files = { '._course.crs': resource, '._course.au': resource, ...aiccFiles() };
    assert.deepEqual(await inspectFiles(files), await inspectFiles(aiccFiles()));
  });

  it('may have files that end as DOS programs end them', async () => {
    const files = Object.fromEntries(
      Object.entries(aiccFiles()).map(([name, content]) => [name, `${content}\x1a`]),
    );
    files['course.au'] = `${AU_HEADER}A1,index.html\r\n\x1a`;
    const { units } = await inspectFiles(files);
    assert.deepEqual(
      units.map(({ id, title, launch }) => [id, title, launch.kind]),
      [['A1', 'Lesson 1', 'file']],
    );
  });

  it('may have units at web addresses', async () => {
    const au = '"System_ID","File_Name","Web_Launch"\r\nA1,http://courses.example/start,a=1';
    const { units } = await inspectFiles({ ...aiccFiles(), 'course.au': au });
    assert.deepEqual(units[0]?.launch, { kind: 'external', url: 'http://courses.example/start?a=1' });
  });

  it('may lack its descriptors and its structure, with warnings, and then has ids as titles', async () => {
    const { units, warnings } = await inspectFiles(without('course.des', 'course.cst'));
    assert.equal(units[0]?.title, 'A1');
    assert.match(warnings.join(), /no \.des file.*no \.cst file/);
  });

  it('in Windows-1252 is read, with a warning', async () => {
    const { title, warnings } = await inspectFiles({
      ...aiccFiles(),
      'course.crs': Buffer.from('[Course]\r\nCourse_Title=Übung\r\n', 'latin1'),
    });
    assert.equal(title, 'Übung');
    assert.match(warnings.join(), /read as Windows-1252/);
  });
});

describe('an AICC course is refused', () => {
  const faults: [what: string, files: Record<string, string | Buffer>, code: string][] = [
    ['without units file', without('course.au'), 'AICC_FILE_MISSING'],
    ['without units', { ...aiccFiles(), 'course.au': AU_HEADER }, 'NOTHING_TO_LAUNCH'],
    [
      'when two units share an id',
      { ...aiccFiles(), 'course.au': `${AU_HEADER}A1,index.html\r\na1,index.html` },
      'MANIFEST_INVALID',
    ],
    [
      'when the id of a unit contains a NUL character',
      { ...aiccFiles(), 'course.au': `${AU_HEADER}A\0B,index.html` },
      'UNIT_ID_INVALID',
    ],
    [
      'when a unit does not name a file',
      { ...aiccFiles(), 'course.au': `${AU_HEADER}A1,` },
      'LAUNCH_INVALID',
    ],
    [
      'when its file is not there',
      { ...aiccFiles(), 'course.au': `${AU_HEADER}A1,gone.html` },
      'LAUNCH_FILE_MISSING',
    ],
    [
      'with too many units',
      {
        ...aiccFiles(),
        'course.au':
          AU_HEADER + Array.from({ length: 2001 }, (_, index) => `A${index},index.html\n`).join(''),
      },
      'TOO_MANY_UNITS',
    ],
    [
      'with too large a table',
      { ...aiccFiles(), 'course.des': 'a,b\n'.repeat(200_000) },
      'MANIFEST_TOO_COMPLEX',
    ],
  ];
  for (const [what, files, code] of faults) {
    it(what, () => assert.rejects(inspectFiles(files), { code }));
  }
});

describe('the structure of an AICC course', () => {
  const UNITS = `${AU_HEADER}A1,index.html\r\nA2,index.html\r\nA3,index.html\r\n`;
  const read = async (files: Record<string, string>) =>
    await inspectFiles({ ...aiccFiles(), 'course.au': UNITS, ...files });
  const outline = (items: readonly StructureItem[]): unknown[] =>
    items.map(({ id, children }) => (children.length === 0 ? id : [id, ...outline(children)]));

  it('has the blocks of the .cst file, with the titles of the .des file', async () => {
    const { structure } = await read({
      'course.cst': 'block,member,member\r\nroot,b1,A3\r\nB1,a2,a1\r\n',
      'course.des': 'system_id,title\r\nB1,Basics\r\nA1,First\r\n',
    });
    assert.deepEqual(outline(structure.items), [['b1', 'A2', 'A1'], 'A3']);
    assert.equal(structure.items[0]?.title, 'Basics');
    assert.equal(structure.items[0]?.isUnit, false);
    assert.deepEqual(
      structure.items[0]?.children.map(({ title, isUnit }) => [title, isUnit]),
      [
        ['A2', true],
        ['First', true],
      ],
    );
  });

  it('gives the order of the units, whatever their order in the .au file', async () => {
    const { units } = await read({ 'course.cst': 'block,member,member\r\nroot,B1,a3\r\nB1,A2,a1\r\n' });
    assert.deepEqual(
      units.map(({ id }) => id),
      ['A2', 'A1', 'A3'],
    );
  });

  it('names the course that has no title after its first unit', async () => {
    const { title } = await read({
      'course.crs': '[Course]\r\nCourse_ID=G1\r\n',
      'course.cst': 'block,member,member,member\r\nROOT,A3,A1,A2\r\n',
      'course.des': 'system_id,title\r\nA1,Second\r\nA3,First\r\n',
    });
    assert.equal(title, 'First');
  });

  it('has units outside all blocks at its end, and no duplicate, circular or unknown ones', async () => {
    const { structure, units, warnings } = await read({
      'course.cst': 'block,member,member,member\r\nROOT,B1,gone,B1\r\nB1,A2,ROOT,B1\r\n',
    });
    assert.deepEqual(outline(structure.items), [['B1', 'A2'], 'A1', 'A3']);
    assert.deepEqual(
      units.map(({ id }) => id),
      ['A2', 'A1', 'A3'],
    );
    assert.match(warnings.join('\n'), /member "gone", which is neither/);
    assert.match(warnings.join('\n'), /contains the unit "A1"\. It comes last/);
  });

  it('has prerequisites, completion requirements and objectives', async () => {
    const { structure } = await read({
      'course.cst': 'block,member,member,member\r\nROOT,A1,A2,A3\r\n',
      'course.pre': '"structure_element","prerequisite"\r\n"a2","A1 & ~(A3)"\r\n',
      'course.cmp': 'Structure_Element,Requirement,Result,Next,Return\r\nA3,A1|A2,P,A1,\r\n',
      'course.ort': 'Course_Element,Member,Member\r\nA1,J1,J2\r\n',
      'course.des': 'system_id,title\r\nJ1,To putt\r\n',
    });
    const [first, second, third] = structure.items;
    assert.equal(first?.prerequisites, null);
    assert.equal(second?.prerequisites, 'A1 & ~(A3)');
    assert.deepEqual(third?.completions, [{ requirement: 'A1|A2', result: 'P', next: 'A1', returnTo: null }]);
    assert.deepEqual(first?.objectives, [
      { id: 'J1', title: 'To putt' },
      { id: 'J2', title: null },
    ]);
  });
});
