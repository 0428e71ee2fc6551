import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import {
  type ManifestDialect,
  SCORM_12,
  SCORM_2004,
  scorm12Files,
  scormManifest,
} from '../../../test/support/course-packages.ts';

async function editionOf(
  dialect: ManifestDialect,
  inside = '',
): Promise<{ standard: string; warnings: readonly string[] }> {
  const files = { ...scorm12Files(), 'imsmanifest.xml': scormManifest(dialect, { inside }) };
  const { learningStandard, warnings } = await inspectFiles(files);
  return { standard: learningStandard, warnings };
}

describe('the SCORM version of a manifest, by its schemaversion', () => {
  const versions: [version: string, dialect: ManifestDialect, standard: string][] = [
    ['1.1', SCORM_12, 'SCORM_11'],
    ['1.2', SCORM_12, 'SCORM_12'],
    [' 1.2 ', SCORM_12, 'SCORM_12'],
    ['SCORM 1.2', SCORM_12, 'SCORM_12'],
    ['1.2.4', SCORM_12, 'SCORM_12'],
    ['CAM 1.3', SCORM_2004, 'SCORM_2004_2ND_EDITION'],
    ['1.3', SCORM_2004, 'SCORM_2004_2ND_EDITION'],
    ['2004 2nd Edition', SCORM_2004, 'SCORM_2004_2ND_EDITION'],
    ['2004 3rd Edition', SCORM_2004, 'SCORM_2004_3RD_EDITION'],
    ['2004  3RD\n edition', SCORM_2004, 'SCORM_2004_3RD_EDITION'],
    ['2004 4th Edition', SCORM_2004, 'SCORM_2004_4TH_EDITION'],
    ['SCORM 2004 4th Edition', SCORM_2004, 'SCORM_2004_4TH_EDITION'],
  ];
  for (const [version, dialect, standard] of versions) {
    it(`${JSON.stringify(version)} is ${standard}`, async () => {
      assert.deepEqual(await editionOf({ ...dialect, version }), { standard, warnings: [] });
    });
  }

  it('is ignored in the metadata of parts', async () => {
    const part =
      '<metadata><schema>ADL SCORM</schema><schemaversion>2004 4th Edition</schemaversion></metadata>';
    const { standard } = await editionOf(SCORM_12, part);
    assert.equal(standard, 'SCORM_12');
  });

  it('1.2 wins over the namespaces of SCORM 2004, with a warning', async () => {
    const { standard, warnings } = await editionOf({ ...SCORM_2004, version: '1.2' });
    assert.equal(standard, 'SCORM_12');
    assert.match(warnings.join(), /declares SCORM 1\.2, but uses SCORM 2004/);
  });
});

describe('the SCORM version of a manifest without a known one, by its elements', () => {
  const fourthOnly: [what: string, inside: string][] = [
    ['adlseq:objectives', '<adlseq:objectives/>'],
    ['adlcp:data', '<adlcp:data/>'],
    ['minProgressMeasure', '<adlcp:completionThreshold minProgressMeasure="0.5"/>'],
    ['completedByMeasure', '<adlcp:completionThreshold completedByMeasure="true"/>'],
  ];
  for (const [what, inside] of fourthOnly) {
    it(`is the 4th Edition with ${what}`, async () => {
      const { standard, warnings } = await editionOf({ ...SCORM_2004, version: null }, inside);
      assert.equal(standard, 'SCORM_2004_4TH_EDITION');
      assert.match(warnings.join(), /declares no SCORM version/);
    });
  }

  it('is the 3rd Edition with the namespaces of SCORM 2004 alone', async () => {
    const { standard, warnings } = await editionOf({ ...SCORM_2004, version: 'latest' });
    assert.equal(standard, 'SCORM_2004_3RD_EDITION');
    assert.match(warnings.join(), /the unknown SCORM version "latest"/);
  });

  it('is SCORM 1.2 with its namespaces', async () => {
    assert.equal((await editionOf({ ...SCORM_12, version: null })).standard, 'SCORM_12');
  });

  it('is found in time proportional to the length of the text', async () => {
    const { standard } = await editionOf({ ...SCORM_12, version: '2004 '.repeat(200_000) });
    assert.equal(standard, 'SCORM_2004_3RD_EDITION');
  });
});

describe('a manifest that is not of a SCORM course is rejected', () => {
  const none: ManifestDialect = {
    ...SCORM_12,
    namespaces: 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="urn:none"',
  };
  const manifests: [what: string, dialect: ManifestDialect][] = [
    ['plain IMS content', { ...none, schema: 'IMS Content', version: '1.1.4' }],
    ['plain IMS content of version 1.1', { ...none, schema: 'IMS Content', version: '1.1' }],
    ['a Common Cartridge by its schema', { ...SCORM_12, schema: 'IMS Common Cartridge', version: '1.2' }],
    [
      'a Common Cartridge by its namespace',
      {
        ...none,
        namespaces: `${none.namespaces} xmlns:c="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"`,
      },
    ],
  ];
  for (const [what, dialect] of manifests) {
    it(what, () => assert.rejects(editionOf(dialect), { code: 'STANDARD_UNSUPPORTED' }));
  }
});
