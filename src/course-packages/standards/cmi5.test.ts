import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { cmi5Files } from '../../../test/support/course-packages.ts';
import { plainItem } from '../course-structure.ts';

const STRUCTURE = String(cmi5Files()['cmi5.xml']);

/** Inspects the usual course with a part of its structure replaced. */
function inspectWith(part: string | RegExp, replacement: string) {
  assert.match(STRUCTURE, part instanceof RegExp ? part : new RegExp(RegExp.escape(part)));
  return inspectFiles({ ...cmi5Files(), 'cmi5.xml': STRUCTURE.replace(part, replacement) });
}

describe('a cmi5 course', () => {
  it('is described completely', async () => {
    assert.deepEqual(
      await inspectFiles(cmi5Files({ title: 'Geology', identifier: 'https://courses.example/geo' })),
      {
        structure: {
          identifier: 'https://courses.example/geo',
          items: [
            {
              ...plainItem({ id: 'https://courses.example/geo/block', title: 'Block' }),
              isUnit: false,
              cmi5: { titles: { en: 'Block' }, descriptions: { en: 'About it' } },
              children: [
                {
                  ...plainItem({ id: 'https://courses.example/geo/au', title: 'Unit 1' }),
                  cmi5: { titles: { en: 'Unit 1' }, descriptions: { en: 'About it' } },
                },
              ],
            },
          ],
          scorm2004: null,
          cmi5: { titles: { en: 'Geology' }, descriptions: { en: 'About it' }, objectives: [] },
        },
        learningStandard: 'CMI5',
        title: 'Geology',
        units: [
          {
            id: 'https://courses.example/geo/au',
            title: 'Unit 1',
            launch: { kind: 'file', file: 'au/index.html', query: '?lang=en', fragment: '' },
            reports: true,
            masteryScore: 0.8,
            completionThreshold: null,
            launchData: 'level=2',
            maxTimeAllowed: null,
            timeLimitAction: null,
            cmi5: {
              moveOn: 'CompletedAndPassed',
              launchMethod: 'OwnWindow',
              activityType: 'http://adlnet.gov/expapi/activities/lesson',
              entitlementKey: 'key',
            },
          },
        ],
        warnings: [],
      },
    );
  });

  it('has the defaults of the specification', async () => {
    const { units } = await inspectWith(
      / moveOn="\w+" masteryScore="0\.8" launchMethod="\w+" activityType="[^"]+"/,
      '',
    );
    assert.equal(units[0]?.masteryScore, null);
    assert.deepEqual(units[0]?.cmi5, {
      moveOn: 'NotApplicable',
      launchMethod: 'AnyWindow',
      activityType: null,
      entitlementKey: 'key',
    });
  });

  it('has units in and next to nested blocks, in their order', async () => {
    const au = (id: string) => `<au id="urn:${id}"><url>au/index.html</url></au>`;
    const { units } = await inspectWith(
      /<block[\s\S]*<\/block>/,
      `${au('a')}<block id="urn:x"><block id="urn:y">${au('b')}</block>${au('c')}</block>${au('d')}`,
    );
    assert.deepEqual(
      units.map(({ id, title }) => [id, title]),
      ['a', 'b', 'c', 'd'].map((id) => [`urn:${id}`, `urn:${id}`]),
    );
  });

  it('may have units at web addresses', async () => {
    const { units } = await inspectWith('au/index.html?lang=en', 'https://courses.example/au');
    assert.deepEqual(units[0]?.launch, { kind: 'external', url: 'https://courses.example/au' });
  });

  it('ignores a mastery score out of range, with a warning', async () => {
    const { units, warnings } = await inspectWith('masteryScore="0.8"', 'masteryScore="80"');
    assert.equal(units[0]?.masteryScore, null);
    assert.match(warnings.join(), /has the score "80", which is not from 0 to 1/);
  });
});

describe('a cmi5 course is refused', () => {
  const faults: [what: string, part: string | RegExp, replacement: string, code: string][] = [
    ['when it is another document', /courseStructure/g, 'structure', 'MANIFEST_INVALID'],
    ['when the course has no id', /<course id="[^"]+"/, '<course', 'MANIFEST_INVALID'],
    ['when a unit has no id', /<au id="[^"]+"/, '<au', 'MANIFEST_INVALID'],
    ['when two units share an id', /(<au[\s\S]*<\/au>)/, '$1$1', 'MANIFEST_INVALID'],
    ['when moveOn is unknown', 'CompletedAndPassed', 'Whenever', 'MANIFEST_INVALID'],
    ['when launchMethod is unknown', 'OwnWindow', 'Popup', 'MANIFEST_INVALID'],
    ['when it has no units', /<au[\s\S]*<\/au>/, '', 'NOTHING_TO_LAUNCH'],
    ['when a unit has no address', /<url>.*<\/url>/, '', 'LAUNCH_INVALID'],
    ['when the file of a unit is not there', 'au/index.html', 'gone.html', 'LAUNCH_FILE_MISSING'],
    [
      'when it has too many units',
      /<block[\s\S]*<\/block>/,
      Array.from({ length: 2001 }, (_, index) => `<au id="urn:${index}"><url>au/index.html</url></au>`).join(
        '',
      ),
      'TOO_MANY_UNITS',
    ],
  ];
  for (const [what, part, replacement, code] of faults) {
    it(what, () => assert.rejects(inspectWith(part, replacement), { code }));
  }
});
