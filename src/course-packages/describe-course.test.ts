import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../test/course-packages/package-file.ts';
import {
  aiccFiles,
  cmi5Files,
  type PackageFiles,
  SCORM_12,
  scorm12Files,
  scormManifest,
  xapiFiles,
} from '../../test/support/course-packages.ts';

function inFolder(folder: string, files: PackageFiles): PackageFiles {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

const NO_COURSE = scormManifest({ ...SCORM_12, schema: 'IMS Common Cartridge' });

describe('a package with several manifests', () => {
  const packages: [what: string, files: PackageFiles, standard: string][] = [
    [
      'SCORM before all others',
      { ...xapiFiles(), ...aiccFiles(), ...cmi5Files(), ...scorm12Files() },
      'SCORM_12',
    ],
    ['cmi5 before AICC and xAPI', { ...xapiFiles(), ...aiccFiles(), ...cmi5Files() }, 'CMI5'],
    ['AICC before xAPI', { ...xapiFiles(), ...aiccFiles() }, 'AICC'],
    [
      'xAPI rather than an IMS manifest of no course',
      { ...xapiFiles(), 'imsmanifest.xml': NO_COURSE },
      'XAPI',
    ],
  ];
  for (const [what, files, standard] of packages) {
    it(`is treated as ${what}, with a warning`, async () => {
      const { learningStandard, warnings } = await inspectFiles(files);
      assert.equal(learningStandard, standard);
      assert.match(warnings.join(), /more than one manifest/);
    });
  }

  it('is not treated as AICC because of a .crs file without its .au file, with a warning', async () => {
    const stray = { 'old.crs': '[Course]' };
    for (const [files, standard] of [
      [{ ...xapiFiles(), ...stray }, 'XAPI'],
      [{ ...scorm12Files(), ...stray }, 'SCORM_12'],
    ] as const) {
      const { learningStandard, warnings } = await inspectFiles(files);
      assert.equal(learningStandard, standard);
      assert.match(warnings.join(), /more than one manifest \(.*"old\.crs"/);
    }
    const { warnings } = await inspectFiles({ ...xapiFiles(), ...stray });
    assert.match(warnings.join(), /"old\.crs" describes no course that can be launched/);
    await assert.rejects(inspectFiles({ ...stray, 'index.html': '' }), { code: 'AICC_FILE_MISSING' });
    await assert.rejects(inspectFiles({ ...stray, 'imsmanifest.xml': NO_COURSE }), {
      code: 'STANDARD_UNSUPPORTED',
    });
  });

  it('is rejected if the first is broken, and not read as the next', async () => {
    await assert.rejects(inspectFiles({ ...xapiFiles(), 'cmi5.xml': '<courseStructure>' }), {
      code: 'XML_MALFORMED',
    });
  });
});

describe('the folder of a course', () => {
  it('is the root of the zip, whatever manifests are further down', async () => {
    const { learningStandard, warnings } = await inspectFiles({
      ...cmi5Files(),
      ...inFolder('part', scorm12Files()),
    });
    assert.equal(learningStandard, 'CMI5');
    assert.deepEqual(warnings, []);
  });

  it('may be one folder around it, with a warning, and the launch file is found there', async () => {
    const files = { ...inFolder('My Course', aiccFiles()), 'readme.txt': 'Read me' };
    const { learningStandard, units, warnings } = await inspectFiles(files);
    assert.equal(learningStandard, 'AICC');
    assert.deepEqual(units[0]?.launch, {
      kind: 'file',
      file: 'My Course/index.html',
      query: '?mode=web',
      fragment: '',
    });
    assert.match(warnings.join(), /in the folder "My Course\/" of the zip/);
  });

  it('is not that of a .crs file without its .au file, if there is another', async () => {
    for (const [files, standard] of [
      [{ ...inFolder('course', scorm12Files()), 'old.crs': '[Course]' }, 'SCORM_12'],
      [{ ...inFolder('course', aiccFiles()), 'other/old.crs': '[Course]' }, 'AICC'],
    ] as const) {
      const { learningStandard, units } = await inspectFiles(files);
      assert.equal(learningStandard, standard);
      assert.match(JSON.stringify(units[0]?.launch), /"course\//);
    }
    const { learningStandard } = await inspectFiles({ ...aiccFiles(), ...inFolder('part', scorm12Files()) });
    assert.equal(learningStandard, 'AICC');
  });

  it('may be found by a manifest whose name is written in capitals', async () => {
    const { 'imsmanifest.xml': manifest = '', ...files } = scorm12Files();
    assert.equal(
      (await inspectFiles({ ...files, 'IMSManifest.XML': manifest })).learningStandard,
      'SCORM_12',
    );
  });

  it('is ambiguous if there are two, and too deep below two folders', async () => {
    const two = { ...inFolder('a', scorm12Files()), ...inFolder('b', scorm12Files()) };
    await assert.rejects(inspectFiles(two), { code: 'MANIFEST_AMBIGUOUS', message: /"a\/" and "b\/"/ });
    await assert.rejects(inspectFiles(inFolder('a/b', scorm12Files())), {
      code: 'MANIFEST_TOO_DEEP',
      message: /"a\/b\/imsmanifest\.xml"/,
    });
  });
});

describe('a description', () => {
  it('is titled by its first unit when the course has no title, with a warning', async () => {
    const { title, warnings } = await inspectFiles(cmi5Files({ title: ' ' }));
    assert.equal(title, 'Unit 1');
    assert.match(warnings.join(), /no title/);
  });

  it('is plain JSON', async () => {
    for (const files of [scorm12Files(), aiccFiles(), cmi5Files(), xapiFiles()]) {
      const description = await inspectFiles(files);
      assert.deepEqual(JSON.parse(JSON.stringify(description)), description);
    }
  });

  /** The warnings about a SCORM 1.2 course with these items and one resource. */
  async function warningsOf(items: string[], resource: string): Promise<readonly string[]> {
    const manifest = scormManifest(SCORM_12, {
      items: [...items, '<item identifier="i1" identifierref="r1"/>'].join(''),
      resources: resource,
    });
    return (await inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': manifest })).warnings;
  }

  const SCO = '<resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="index.html"/>';
  const UNTYPED = '<resource identifier="r1" type="webcontent" href="index.html"/>';

  it('has a limited number of warnings, however many faults there are', async () => {
    const items = Array.from({ length: 50 }, (_, n) => `<item identifier="x${n}" identifierref="gone${n}"/>`);
    const warnings = await warningsOf(items, SCO);
    assert.equal(warnings.length, 21);
    assert.match(warnings[0]!, /"gone0"/);
    assert.equal(warnings.at(-1), 'And 30 more warnings.');
  });

  it('has every warning once, however often its fault is repeated', async () => {
    const items = Array.from({ length: 30 }, (_, n) => `<item identifier="x${n}" isvisible="yes"/>`);
    const [untyped, ...others] = await warningsOf(items, UNTYPED);
    assert.match(untyped!, /"i1" has no scormtype/);
    assert.deepEqual(others, [
      'The attribute isvisible of an element "item" is "yes", which the standard does not define. The default is used.',
    ]);
  });

  it('warns first of what is not recorded, so that no other warnings hide it', async () => {
    const items = Array.from({ length: 30 }, (_, n) => `<item identifier="x${n}" identifierref="gone${n}"/>`);
    const warnings = await warningsOf(items, UNTYPED);
    assert.equal(warnings.length, 21);
    assert.match(warnings[0]!, /"i1" has no scormtype/);
    assert.match(warnings[1]!, /"gone0"/);
    assert.equal(warnings.at(-1), 'And 11 more warnings.');
  });

  it('reads manifests in other encodings', async () => {
    const manifest = scormManifest(SCORM_12, { title: 'Übung', prolog: '' });
    const declared = scormManifest(SCORM_12, {
      title: 'Übung',
      prolog: '<?xml version="1.0" encoding="ISO-8859-1"?>',
    });
    for (const bytes of [
      Buffer.from(`\ufeff${manifest}`, 'utf16le'),
      Buffer.from(declared, 'latin1'),
      Buffer.from(`\ufeff${declared}`),
    ]) {
      const { title, warnings } = await inspectFiles({ ...scorm12Files(), 'imsmanifest.xml': bytes });
      assert.equal(title, 'Übung');
      assert.deepEqual(warnings, []);
    }
  });

  it('warns of a manifest whose encoding is not the one that it declares or should have', async () => {
    for (const prolog of [
      '',
      '<?xml version="1.0"?>',
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<?xml version="1.0" encoding="UTF-16"?>',
    ]) {
      const manifest = scormManifest(SCORM_12, { title: 'Übung', prolog });
      const { title, warnings } = await inspectFiles({
        ...scorm12Files(),
        'imsmanifest.xml': Buffer.from(manifest, 'latin1'),
      });
      assert.equal(title, 'Übung');
      assert.deepEqual(warnings, [
        'The file "imsmanifest.xml" is not UTF-8 and declares no other encoding that fits. It was read as Windows-1252.',
      ]);
    }
  });
});
