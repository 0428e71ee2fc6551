import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';
import {
  cmi5Files,
  PAGE,
  SCORM_12,
  SCORM_2004,
  scorm12Files,
  scormManifest,
} from '../support/course-packages.ts';
import { inspectFiles, PackageFile } from './package-file.ts';
import { rawZip } from './raw-zip.ts';

/** The structure of a cmi5 course whose unit is on another server. */
const BARE = String(cmi5Files({ title: 'On the web' })['cmi5.xml']).replace(
  'au/index.html?lang=en',
  'https://courses.example/au?lang=en',
);

describe('real-world packages', () => {
  it('may be a cmi5.xml without a zip, whose units are elsewhere', async () => {
    await using file = await PackageFile.of(Buffer.from(BARE));
    const description = await inspectPackage(file.path);
    assert.equal(description.learningStandard, 'CMI5');
    assert.equal(description.title, 'On the web');
    assert.deepEqual(description.units[0]?.launch, {
      kind: 'external',
      url: 'https://courses.example/au?lang=en',
    });
    assert.deepEqual(description.warnings, []);
    const extraction = await extractPackage(file.path, file.destination);
    assert.deepEqual(extraction, { files: 1, bytes: Buffer.byteLength(BARE) });
    assert.equal(readFileSync(path.join(file.destination, 'cmi5.xml'), 'utf8'), BARE);
  });

  it('may be a cmi5.xml in UTF-16 without a zip', async () => {
    const text = BARE.replace('encoding="utf-8"', 'encoding="utf-16"');
    await using file = await PackageFile.of(Buffer.from(`\ufeff${text}`, 'utf16le'));
    assert.equal((await inspectPackage(file.path)).title, 'On the web');
  });

  it('are rejected as a bare cmi5.xml if a unit is a file or it is too large', async () => {
    await using file = await PackageFile.of(Buffer.from(String(cmi5Files()['cmi5.xml'])));
    await assert.rejects(inspectPackage(file.path), { code: 'LAUNCH_FILE_MISSING' });
    await using large = await PackageFile.of(Buffer.from(BARE));
    await assert.rejects(inspectPackage(large.path, { manifestBytes: 100 }), { code: 'MANIFEST_TOO_LARGE' });
    await assert.rejects(extractPackage(large.path, large.destination, { limits: { manifestBytes: 100 } }), {
      code: 'MANIFEST_TOO_LARGE',
    });
    assert.deepEqual(await large.leftovers(), []);
  });

  it('may use well-known prefixes without declaring them, with a warning', async () => {
    for (const [dialect, standard] of [
      [SCORM_12, 'SCORM_12'],
      [SCORM_2004, 'SCORM_2004_4TH_EDITION'],
    ] as const) {
      const manifest = scormManifest(dialect, {
        items: `<item identifier="i1" identifierref="r1"><title>One</title>${dialect.passing}</item>`,
      })
        .replace(/ xmlns:\w+="[^"]+"/g, '')
        .replace('<manifest ', '<manifest xsi:schemaLocation="http://www.example.com a.xsd" ');
      const found = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
      assert.equal(found.learningStandard, standard);
      assert.equal(found.units[0]?.reports, true);
      assert.notEqual(found.units[0]?.masteryScore, null);
      assert.match(found.warnings.join('\n'), /uses the prefix "xsi" without declaring it/);
      assert.match(found.warnings.join('\n'), /"adlcp"/);
    }
    const unknown = scormManifest(SCORM_12).replace('<resources>', '<resources mine:own="1">');
    await assert.rejects(inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': unknown }), {
      code: 'XML_MALFORMED',
    });
  });

  it('may contain the icons of macOS folders, which are ignored', async () => {
    const files = scorm12Files();
    const entries = [...Object.entries(files), ['Icon\r', ''], ['images/Icon\r', '']] as const;
    await using file = await PackageFile.of(rawZip(entries.map(([name, content]) => ({ name, content }))));
    assert.equal((await inspectPackage(file.path)).title, 'A SCORM 1.2 course');
    assert.equal((await extractPackage(file.path, file.destination)).files, 2);
  });

  it('may separate folders with backslashes', async () => {
    const manifest = scormManifest(SCORM_12).replaceAll('index.html', 'pages/index.html');
    await using file = await PackageFile.of(
      rawZip([
        { name: 'imsmanifest.xml', content: manifest },
        { name: 'pages\\', content: '' },
        { name: 'pages\\index.html', content: PAGE },
      ]),
    );
    const { units } = await inspectPackage(file.path);
    assert.deepEqual(units[0]?.launch, { kind: 'file', file: 'pages/index.html', query: '', fragment: '' });
    await extractPackage(file.path, file.destination);
    assert.equal(readFileSync(path.join(file.destination, 'pages', 'index.html'), 'utf8'), PAGE);
  });

  it('may have no organization: each SCO becomes a unit, with a warning', async () => {
    const manifest = scormManifest(SCORM_12, {
      resources:
        '<resource identifier="a" type="webcontent" adlcp:scormtype="asset" href="index.html"/>' +
        '<resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="index.html"/>' +
        '<resource identifier="r2" type="webcontent" adlcp:scormtype="sco" href="index.html?2"/>' +
        '<resource identifier="r3" type="webcontent" adlcp:scormtype="sco"/>',
    }).replace(/<organizations[\s\S]*<\/organizations>/, '<organizations/>');
    const { units, structure, warnings } = await inspectFiles({
      ...scorm12Files(),
      'imsmanifest.xml': manifest,
    });
    assert.deepEqual(
      units.map(({ id, reports }) => [id, reports]),
      [
        ['r1', true],
        ['r2', true],
      ],
    );
    assert.deepEqual(
      structure.items.map(({ id, isUnit }) => [id, isUnit]),
      [
        ['r1', true],
        ['r2', true],
      ],
    );
    assert.match(warnings.join('\n'), /has no organization/);
    await assert.rejects(
      inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': manifest.replaceAll('"sco"', '"asset"') }),
      { code: 'NOTHING_TO_LAUNCH' },
    );
  });

  it('may have units outside of the package, with a warning', async () => {
    const manifest = scormManifest(SCORM_12).replace('index.html', 'https://courses.example/start');
    const { units, warnings } = await inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': manifest });
    assert.deepEqual(units[0]?.launch, { kind: 'external', url: 'https://courses.example/start' });
    assert.match(warnings.join('\n'), /"i1" opens "https:\/\/courses\.example\/start", which is outside/);
  });
});

describe('the structure of a cmi5 course is rejected', () => {
  const STRUCTURE = String(cmi5Files()['cmi5.xml']);
  const OBJECTIVE = '<objective id="urn:o"><title><langstring>O</langstring></title></objective>';
  const UNIT = '<au id="urn:one"><url>au/index.html</url></au>';
  const faults: [what: string, part: string | RegExp, replacement: string][] = [
    ['when the id of the course is no absolute IRI', /<course id="[^"]+"/, '<course id="my course"'],
    ['when the id of a block is no absolute IRI', /<block id="[^"]+"/, '<block id="block-1"'],
    ['when the id of a unit is no absolute IRI', /<au id="[^"]+"/, '<au id="/au/1"'],
    ['when a block has no id', /<block id="[^"]+"/, '<block'],
    [
      'when the id of an objective is no absolute IRI',
      '</course>',
      `</course><objectives>${OBJECTIVE.replace('urn:o', 'o')}</objectives>`,
    ],
    [
      'when two objectives share an id',
      '</course>',
      `</course><objectives>${OBJECTIVE.repeat(2)}</objectives>`,
    ],
    [
      'when two blocks share an id',
      /<block[\s\S]*<\/block>/,
      `<block id="urn:b">${UNIT}</block><block id="urn:b"/>`,
    ],
    ['when a block and a unit share an id', /<block[\s\S]*<\/block>/, `<block id="urn:one">${UNIT}</block>`],
    ...['endpoint', 'fetch', 'actor', 'registration', 'activityId'].map((name): [string, string, string] => [
      `when the address of a unit has the parameter ${name}`,
      '?lang=en',
      `?lang=en&amp;${name}=x`,
    ]),
  ];
  for (const [what, part, replacement] of faults) {
    it(what, async () => {
      const structure = STRUCTURE.replace(part, replacement);
      assert.notEqual(structure, STRUCTURE);
      await assert.rejects(inspectFiles({ ...cmi5Files(), 'cmi5.xml': structure }), {
        code: 'MANIFEST_INVALID',
      });
    });
  }
});
