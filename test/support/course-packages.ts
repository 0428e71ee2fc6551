import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** The files of a package by their path. */
export type PackageFiles = Readonly<Record<string, string | Buffer>>;

/** A zip of these files, written by a zip library. */
export async function zipOf(
  files: PackageFiles,
  options: { zip64?: boolean; compress?: boolean } = {},
): Promise<Buffer> {
  const { zip64 = false, compress = true } = options;
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(content), path, { compress, forceZip64Format: zip64 });
  }
  zip.end({ forceZip64Format: zip64, comment: '' });
  return buffer(zip.outputStream);
}

/** The page that every package below launches. */
export const PAGE = '<!doctype html><html lang="en"><title>Lesson</title><p>A lesson.</p></html>';

/** The options of a package; each has a default. */
export interface CourseOptions {
  readonly title?: string;
  readonly identifier?: string;
}

/** A SCORM 1.2 course of one page with a mastery score of 80. */
export async function scorm12Package(options: CourseOptions = {}): Promise<Buffer> {
  return zipOf(scorm12Files(options));
}

/** The files of {@link scorm12Package}. */
export function scorm12Files({
  title = 'A SCORM 1.2 course',
  identifier = 'scorm-12',
}: CourseOptions = {}): PackageFiles {
  return { 'imsmanifest.xml': scormManifest(SCORM_12, { title, identifier }), 'index.html': PAGE };
}

/** A SCORM 2004 course of one page with a passing score of 0.8. */
export async function scorm2004Package(
  options: CourseOptions & { edition?: ScormEdition } = {},
): Promise<Buffer> {
  return zipOf(scorm2004Files(options));
}

/** The files of {@link scorm2004Package}. */
export function scorm2004Files({
  edition = '4th',
  title = `A SCORM 2004 ${edition} Edition course`,
  identifier = 'scorm-2004',
}: CourseOptions & { edition?: ScormEdition } = {}): PackageFiles {
  const version = edition === '2nd' ? 'CAM 1.3' : `2004 ${edition} Edition`;
  return {
    'imsmanifest.xml': scormManifest({ ...SCORM_2004, version }, { title, identifier }),
    'index.html': PAGE,
  };
}

/** Editions of SCORM 2004. */
export type ScormEdition = '2nd' | '3rd' | '4th';

/** How manifests differ between versions of SCORM. */
export interface ManifestDialect {
  readonly version: string | null;
  readonly schema?: string;
  readonly namespaces: string;
  readonly scormType: 'scormtype' | 'scormType';
  /** The part of an item about passing. */
  readonly passing: string;
}

export const SCORM_12: ManifestDialect = {
  version: '1.2',
  namespaces:
    'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"',
  scormType: 'scormtype',
  passing: '<adlcp:masteryscore>80</adlcp:masteryscore>',
};

export const SCORM_2004: ManifestDialect = {
  version: '2004 4th Edition',
  namespaces:
    'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" ' +
    'xmlns:adlseq="http://www.adlnet.org/xsd/adlseq_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss"',
  scormType: 'scormType',
  passing:
    '<imsss:sequencing><imsss:objectives><imsss:primaryObjective objectiveID="p" satisfiedByMeasure="true">' +
    '<imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives></imsss:sequencing>',
};

/** An `imsmanifest.xml`, of one unit unless `items` and `resources` say otherwise. */
export function scormManifest(
  dialect: ManifestDialect,
  content: CourseOptions & { items?: string; resources?: string; prolog?: string; inside?: string } = {},
): string {
  const { namespaces, passing, schema = 'ADL SCORM', scormType, version } = dialect;
  const {
    title = 'A course',
    identifier = 'course',
    items = `<item identifier="i1" identifierref="r1"><title>Lesson 1</title>${passing}</item>`,
    resources = `<resource identifier="r1" type="webcontent" adlcp:${scormType}="sco" href="index.html"/>`,
    prolog = '<?xml version="1.0" encoding="UTF-8"?>',
    inside = '',
  } = content;
  const schemaVersion = version === null ? '' : `<schemaversion>${version}</schemaversion>`;
  return `${prolog}
<manifest identifier="${identifier}" version="1" ${namespaces}>
  <metadata><schema>${schema}</schema>${schemaVersion}</metadata>
  <organizations default="o1">
    <organization identifier="o1"><title>${escapeXml(title)}</title>${items}</organization>
  </organizations>
  <resources>${resources}</resources>${inside}
</manifest>`;
}

/** An AICC course of one page with a mastery score of 80. */
export async function aiccPackage(options: CourseOptions = {}): Promise<Buffer> {
  return zipOf(aiccFiles(options));
}

/** The files of {@link aiccPackage}. */
export function aiccFiles({
  title = 'An AICC course',
  identifier = 'AICC-1',
}: CourseOptions = {}): PackageFiles {
  return {
    'course.crs': `[Course]\r\nCourse_ID=${identifier}\r\nCourse_Title=${title}\r\nVersion=4.0\r\n[Course_Behavior]\r\nMax_Normal=1\r\n`,
    'course.au':
      '"System_ID","Type","Max_Score","Mastery_Score","Max_Time_Allowed","Time_Limit_Action","File_Name","Core_Vendor","Web_Launch"\r\n' +
      '"A1","lesson","100","80","00:30:00","exit,message","index.html","level=2","mode=web"\r\n',
    'course.des':
      '"System_ID","Developer_ID","Title","Description"\r\n"A1","D1","Lesson 1","The only one"\r\n',
    'course.cst': '"Block","Member"\r\n"ROOT","A1"\r\n',
    'index.html': PAGE,
  };
}

/** A cmi5 course of one page in a block, with a mastery score of 0.8. */
export async function cmi5Package(options: CourseOptions = {}): Promise<Buffer> {
  return zipOf(cmi5Files(options));
}

/** The files of {@link cmi5Package}. */
export function cmi5Files({
  title = 'A cmi5 course',
  identifier = 'https://courses.example/cmi5',
}: CourseOptions = {}): PackageFiles {
  const text = (element: string, value: string) =>
    `<${element}><langstring lang="en">${escapeXml(value)}</langstring></${element}>`;
  return {
    'cmi5.xml': `<?xml version="1.0" encoding="utf-8"?>
<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
  <course id="${identifier}">${text('title', title)}${text('description', 'About it')}</course>
  <block id="${identifier}/block">${text('title', 'Block')}${text('description', 'About it')}
    <au id="${identifier}/au" moveOn="CompletedAndPassed" masteryScore="0.8" launchMethod="OwnWindow" activityType="http://adlnet.gov/expapi/activities/lesson">
      ${text('title', 'Unit 1')}${text('description', 'About it')}
      <url> au/index.html?lang=en </url>
      <launchParameters>level=2</launchParameters><entitlementKey>key</entitlementKey>
    </au>
  </block>
</courseStructure>`,
    'au/index.html': PAGE,
  };
}

/** An xAPI course of one page, described by a `tincan.xml`. */
export async function xapiPackage(options: CourseOptions = {}): Promise<Buffer> {
  return zipOf(xapiFiles(options));
}

/** The files of {@link xapiPackage}. */
export function xapiFiles({
  title = 'An xAPI course',
  identifier = 'https://courses.example/xapi',
}: CourseOptions = {}): PackageFiles {
  return {
    'tincan.xml': `<?xml version="1.0" encoding="utf-8"?>
<tincan xmlns="http://projecttincan.com/tincan.xsd"><activities>
  <activity id="${identifier}/question" type="http://adlnet.gov/expapi/activities/cmi.interaction"><name>A question</name></activity>
  <activity id="${identifier}" type="http://adlnet.gov/expapi/activities/course">
    <name lang="en">${escapeXml(title)}</name><description lang="en">About it</description><launch lang="en">index.html</launch>
  </activity>
</activities></tincan>`,
    'index.html': PAGE,
  };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
