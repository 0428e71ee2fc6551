import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import {
  PAGE,
  SCORM_12,
  SCORM_2004,
  scorm12Files,
  scorm2004Files,
  scormManifest,
} from '../../../test/support/course-packages.ts';
import { flatStructure } from '../course-structure.ts';
import type { LaunchUnit, PackageDescription } from '../package-description.ts';

type Content = NonNullable<Parameters<typeof scormManifest>[1]>;

function describe12(content: Content): Promise<PackageDescription> {
  return inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': scormManifest(SCORM_12, content) });
}

/** The only unit of a SCORM 2004 course whose item holds this. */
async function unitOf2004(itemContent: string, inside = ''): Promise<LaunchUnit> {
  const items = `<item identifier="i1" identifierref="r1"><title>Lesson</title>${itemContent}</item>`;
  const manifest = scormManifest(SCORM_2004, { items, inside });
  const { units } = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
  return units[0]!;
}

describe('a SCORM course', () => {
  it('of version 1.2 is described completely', async () => {
    assert.deepEqual(await inspectFiles(scorm12Files({ title: 'Golf & more', identifier: 'golf' })), {
      learningStandard: 'SCORM_12',
      title: 'Golf & more',
      structure: flatStructure('golf', [{ id: 'i1', title: 'Lesson 1' }]),
      units: [
        {
          id: 'i1',
          title: 'Lesson 1',
          launch: { kind: 'file', file: 'index.html', query: '', fragment: '' },
          reports: true,
          masteryScore: 80,
          completionThreshold: null,
          launchData: null,
          maxTimeAllowed: null,
          timeLimitAction: null,
          cmi5: null,
        },
      ],
      warnings: [],
    });
  });

  it('has its units in the order of the tree, without items that only group others', async () => {
    const { units } = await describe12({
      items:
        '<item identifier="g"><title>Group</title><item identifier="b" identifierref="r1"><title>B</title>' +
        '<item identifier="c" identifierref="r1"/></item></item><item identifier="a" identifierref="r1"><title>A</title></item>',
    });
    assert.deepEqual(
      units.map(({ id, title }) => [id, title]),
      [
        ['b', 'B'],
        ['c', 'c'],
        ['a', 'A'],
      ],
    );
  });

  it('reports only from a SCO, and warns of a resource that does not say whether it is one', async () => {
    const { units, warnings } = await describe12({
      items: ['sco', 'asset', 'none']
        .map((type) => `<item identifier="${type}" identifierref="${type}"/>`)
        .join(''),
      resources:
        '<resource identifier="sco" adlcp:scormType="SCO" href="index.html"/>' +
        '<resource identifier="asset" adlcp:scormtype="asset" href="index.html"/>' +
        '<resource identifier="none" href="index.html"/>',
    });
    assert.deepEqual(
      units.map(({ reports }) => reports),
      [true, false, false],
    );
    assert.deepEqual(warnings, [
      'The resource of the unit "none" has no scormtype, so it counts as an asset: it is completed when it is opened, ' +
        'and what it reports is not recorded. If it reports, add the type "sco".',
    ]);
  });

  it('gives a 1.2 unit its data, time limit and mastery score', async () => {
    const { units, warnings } = await describe12({
      items:
        '<item identifier="i1" identifierref="r1"><adlcp:datafromlms>level=2</adlcp:datafromlms><adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed>' +
        '<adlcp:timelimitaction>exit,message</adlcp:timelimitaction><adlcp:masteryscore> 62.5 </adlcp:masteryscore></item>' +
        '<item identifier="i2" identifierref="r1"><adlcp:masteryscore>lots</adlcp:masteryscore></item>' +
        '<item identifier="i3" identifierref="r1"><adlcp:masteryscore>101</adlcp:masteryscore></item>',
    });
    const [first, second, third] = units;
    assert.equal(first?.launchData, 'level=2');
    assert.equal(first?.maxTimeAllowed, '00:30:00');
    assert.equal(first?.timeLimitAction, 'exit,message');
    assert.equal(first?.masteryScore, 62.5);
    assert.equal(second?.masteryScore, null);
    assert.equal(third?.masteryScore, null);
    assert.match(warnings.join('\n'), /"i2" has the score "lots".*\n.*"i3" has the score "101"/);
  });

  it('gives a 2004 unit its data, time limit, passing measure and completion threshold', async () => {
    const { units } = await inspectFiles(scorm2004Files());
    assert.equal(units[0]?.masteryScore, 0.8);
    const unit = await unitOf2004(
      '<adlcp:dataFromLMS>level=2</adlcp:dataFromLMS><adlcp:timeLimitAction>continue,no message</adlcp:timeLimitAction>' +
        '<adlcp:completionThreshold>0.75</adlcp:completionThreshold>' +
        '<imsss:sequencing><imsss:limitConditions attemptAbsoluteDurationLimit="PT30M"/></imsss:sequencing>',
    );
    assert.equal(unit.launchData, 'level=2');
    assert.equal(unit.timeLimitAction, 'continue,no message');
    assert.equal(unit.maxTimeAllowed, 'PT30M');
    assert.equal(unit.completionThreshold, 0.75);
    assert.equal(unit.masteryScore, null);
  });

  it('of 2004 passes by measure only if the manifest requests it, by default at 1', async () => {
    const objective = (attributes: string, measure: string) =>
      `<imsss:sequencing><imsss:objectives><imsss:primaryObjective ${attributes}>${measure}</imsss:primaryObjective></imsss:objectives></imsss:sequencing>`;
    const measure = '<imsss:minNormalizedMeasure>-0.5</imsss:minNormalizedMeasure>';
    assert.equal((await unitOf2004(objective('', measure))).masteryScore, null);
    assert.equal((await unitOf2004(objective('satisfiedByMeasure="false"', measure))).masteryScore, null);
    assert.equal((await unitOf2004(objective('satisfiedByMeasure="true"', measure))).masteryScore, -0.5);
    assert.equal((await unitOf2004(objective('satisfiedByMeasure="true"', ''))).masteryScore, 1);
  });

  it('has the prerequisites of an item, which only versions before 2004 know', async () => {
    const items =
      '<item identifier="i1" identifierref="r1"><adlcp:prerequisites type="aicc_script">i2</adlcp:prerequisites></item>';
    const former = await describe12({ items });
    assert.equal(former.structure.items[0]?.prerequisites, 'i2');
    const manifest = scormManifest(SCORM_2004, { items });
    const { structure } = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
    assert.equal(structure.items[0]?.prerequisites, null);
  });

  it('of 2004 may share its sequencing', async () => {
    const shared =
      '<imsss:sequencingCollection><imsss:sequencing ID="s"><imsss:limitConditions attemptAbsoluteDurationLimit="PT1H"/><imsss:objectives>' +
      '<imsss:primaryObjective satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.6</imsss:minNormalizedMeasure></imsss:primaryObjective>' +
      '</imsss:objectives></imsss:sequencing></imsss:sequencingCollection>';
    const unit = await unitOf2004('<imsss:sequencing IDRef="s"/>', shared);
    assert.equal(unit.masteryScore, 0.6);
    assert.equal(unit.maxTimeAllowed, 'PT1H');
  });

  it('of the 4th Edition completes by measure only if it says so', async () => {
    const threshold = (completedByMeasure: boolean) =>
      `<adlcp:completionThreshold completedByMeasure="${completedByMeasure}" minProgressMeasure="0.5"/>`;
    assert.equal((await unitOf2004(threshold(true))).completionThreshold, 0.5);
    assert.equal((await unitOf2004(threshold(false))).completionThreshold, null);
  });

  it('omits an item that points nowhere, with a warning', async () => {
    const { units, warnings } = await describe12({
      items: '<item identifier="i1" identifierref="gone"/><item identifier="i2" identifierref="r1"/>',
    });
    assert.deepEqual(
      units.map(({ id }) => id),
      ['i2'],
    );
    assert.match(warnings.join(), /resource "gone", which the manifest does not have/);
  });

  it('with several organizations is its default one, with a warning', async () => {
    const manifest = scormManifest(SCORM_12).replace(
      '<organizations default="o1">',
      '<organizations default="o1"><organization identifier="o0"><title>Other</title></organization>',
    );
    const { title, warnings } = await inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': manifest });
    assert.equal(title, 'A course');
    assert.match(warnings.join(), /has 2 organizations\. Only "o1" is used/);
  });
});

describe('a SCORM course is refused', () => {
  const manifests: [what: string, content: Content, code: string][] = [
    [
      'when nothing can be launched',
      { items: '<item identifier="i1"><title>Only a title</title></item>' },
      'NOTHING_TO_LAUNCH',
    ],
    ['when all its items point nowhere', { resources: '' }, 'NOTHING_TO_LAUNCH'],
    ['when an item has no identifier', { items: '<item identifierref="r1"/>' }, 'MANIFEST_INVALID'],
    [
      'when two items share an identifier',
      { items: '<item identifier="i" identifierref="r1"/>'.repeat(2) },
      'MANIFEST_INVALID',
    ],
    ['when its resource has no address', { resources: '<resource identifier="r1"/>' }, 'LAUNCH_INVALID'],
    [
      'when it has too many units',
      {
        items: Array.from(
          { length: 2001 },
          (_, index) => `<item identifier="i${index}" identifierref="r1"/>`,
        ).join(''),
      },
      'TOO_MANY_UNITS',
    ],
  ];
  for (const [what, content, code] of manifests) {
    it(what, () => assert.rejects(describe12(content), { code }));
  }
});

describe('the title of a SCORM course', () => {
  const lom =
    '<lom xmlns="http://www.imsglobal.org/xsd/imsmd_rootv1p2p1"><general><title><langstring>From LOM</langstring></title></general></lom>';

  it('is that of the organization, otherwise of its description, otherwise of the first unit', async () => {
    const manifest = scormManifest(SCORM_12, { title: ' ' });
    const withLom = manifest.replace('</metadata>', `${lom}</metadata>`);
    const titleOf = async (text: string) =>
      (await inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': text })).title;
    assert.equal(
      await titleOf(withLom.replace('<title> </title>', '<title>From\n the organization</title>')),
      'From the organization',
    );
    assert.equal(await titleOf(withLom), 'From LOM');
    assert.equal(await titleOf(manifest), 'Lesson 1');
  });
});
