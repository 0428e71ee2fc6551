import {
  aiccFiles,
  PAGE,
  type PackageFiles,
  SCORM_12,
  SCORM_2004,
  scormManifest,
} from '../support/course-packages.ts';

const MEBIBYTE = 1024 * 1024;

/** Packages of a few kilobytes whose manifests try to keep the service busy, by their trick. */
export const HOSTILE_MANIFESTS: Readonly<Record<string, () => PackageFiles>> = {
  'a namespace of a million characters for each of 20,000 elements': () => {
    const inside = '<x/>'.repeat(20_000);
    const manifest = scormManifest(SCORM_12, { inside });
    return scorm(manifest.replace('<manifest ', `<manifest xmlns:long="${'n'.repeat(1_000_000)}" `));
  },
  'elements of a namespace of a million characters': () => {
    const inside = `<long:y xmlns:long="${'n'.repeat(1_000_000)}">${'<long:x/>'.repeat(20_000)}</long:y>`;
    return scorm(scormManifest(SCORM_12, { inside }));
  },
  '500 items that share a sequencing of 180,000 children': () => {
    const shared = `<imsss:sequencingCollection><imsss:sequencing ID="s">${'<imsss:x/>'.repeat(180_000)}</imsss:sequencing></imsss:sequencingCollection>`;
    const items = Array.from(
      { length: 500 },
      (_, index) => `<item identifier="i${index}" identifierref="r1"><imsss:sequencing IDRef="s"/></item>`,
    ).join('');
    return scorm(scormManifest(SCORM_2004, { items, inside: shared }));
  },
  '200 items that share objectives with long names': () => {
    const objectives = `<imsss:objective objectiveID="${'o'.repeat(30_000)}"/>`.repeat(100);
    const shared = `<imsss:sequencingCollection><imsss:sequencing ID="s"><imsss:objectives>${objectives}</imsss:objectives></imsss:sequencing></imsss:sequencingCollection>`;
    const items = Array.from(
      { length: 200 },
      (_, index) => `<item identifier="i${index}" identifierref="r1"><imsss:sequencing IDRef="s"/></item>`,
    ).join('');
    return scorm(scormManifest(SCORM_2004, { items, inside: shared }));
  },
  '1,000 items of a resource of 100,000 attributes': () => {
    const attributes = Array.from({ length: 100_000 }, (_, index) => `a${index}=""`).join(' ');
    const items = Array.from(
      { length: 1_000 },
      (_, index) => `<item identifier="i${index}" identifierref="r1"/>`,
    ).join('');
    const resources = `<resource ${attributes} identifier="r1" adlcp:scormtype="sco" href="index.html"/>`;
    return scorm(scormManifest(SCORM_12, { items, resources }));
  },
  '190,000 elements 99 deep': () => {
    const depth = 96;
    const inside = `${'<d>'.repeat(depth)}${'<x/>'.repeat(190_000)}${'</d>'.repeat(depth)}`;
    return scorm(scormManifest(SCORM_12, { inside }));
  },
  'an AICC table of 8 MB of quotes': () => ({
    ...aiccFiles(),
    'course.au': '"'.repeat(8 * MEBIBYTE - 10),
  }),
  'an AICC table of 8 MB of commas': () => ({ ...aiccFiles(), 'course.au': ','.repeat(8 * MEBIBYTE - 10) }),
  'a tree of AICC blocks that doubles with each': () => ({
    ...aiccFiles(),
    'course.cst': `block,member,member\nROOT,B0,B0\n${Array.from({ length: 40 }, (_, index) => `B${index},B${index + 1},B${index + 1}\n`).join('')}`,
  }),
};

function scorm(manifest: string): PackageFiles {
  return { 'imsmanifest.xml': manifest, 'index.html': PAGE };
}
