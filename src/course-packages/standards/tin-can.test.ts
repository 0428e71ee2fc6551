import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { xapiFiles } from '../../../test/support/course-packages.ts';
import { flatStructure } from '../course-structure.ts';
import { describeStoredCourse } from '../stored-course.ts';

const TINCAN = String(xapiFiles()['tincan.xml']);

function inspectWith(part: string | RegExp, replacement: string) {
  return inspectFiles({ ...xapiFiles(), 'tincan.xml': TINCAN.replace(part, replacement) });
}

describe('an xAPI course with a tincan.xml', () => {
  it('is the first activity that can be launched, not the first activity', async () => {
    assert.deepEqual(await inspectFiles(xapiFiles({ title: 'Tin', identifier: 'urn:tin' })), {
      learningStandard: 'XAPI',
      title: 'Tin',
      structure: flatStructure('urn:tin', [{ id: 'urn:tin', title: 'Tin' }]),
      units: [
        {
          id: 'urn:tin',
          title: 'Tin',
          launch: { kind: 'file', file: 'index.html', query: '', fragment: '' },
          reports: true,
          masteryScore: null,
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

  it('with several that can be launched is the first, with a warning', async () => {
    const { units, warnings } = await inspectWith(
      /<name>A question<\/name>/,
      '$&<launch>index.html?question</launch>',
    );
    assert.equal(units.length, 1);
    assert.equal(units[0]?.id, 'https://courses.example/xapi/question');
    assert.match(warnings.join(), /2 activities that can be launched/);
  });

  it('is rejected if the id of its activity is not an absolute IRI, because no statement can be about it', async () => {
    for (const id of ['course1', 'my course', 'urn:a b', '/course', 'https:']) {
      await assert.rejects(
        inspectWith('id="https://courses.example/xapi" ', `id="${id}" `),
        { code: 'MANIFEST_INVALID', message: /absolute IRI/ },
        id,
      );
    }
    for (const identifier of [
      'urn:tin',
      'tag:example.com,2026:golf',
      'https://courses.example/übung?a=1#b',
    ]) {
      assert.equal((await inspectFiles(xapiFiles({ identifier }))).structure.identifier, identifier);
    }
  });

  it('that was stored with another id is described with a warning', async () => {
    const files = Object.entries(xapiFiles({ identifier: 'course1' }));
    const { structure, warnings } = await describeStoredCourse({
      names: files.map(([name]) => name),
      contents: new Map(files.map(([name, content]) => [name, Buffer.from(content)])),
    });
    assert.equal(structure.identifier, 'course1');
    assert.match(warnings.join(), /"course1" of the activity is not an absolute IRI/);
  });

  it('is rejected if nothing in it can be launched, an id or the file is missing, or it is another document', async () => {
    await assert.rejects(inspectWith(/<launch.*<\/launch>/, ''), { code: 'NOTHING_TO_LAUNCH' });
    await assert.rejects(inspectWith('id="https://courses.example/xapi" ', ''), { code: 'MANIFEST_INVALID' });
    await assert.rejects(inspectWith('>index.html<', '>gone.html<'), { code: 'LAUNCH_FILE_MISSING' });
    await assert.rejects(inspectWith('>index.html<', '><'), { code: 'LAUNCH_INVALID' });
    await assert.rejects(inspectWith(/tincan/g, 'tin'), { code: 'MANIFEST_INVALID' });
  });
});
