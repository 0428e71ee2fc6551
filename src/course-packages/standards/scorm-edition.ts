import type { CourseFiles } from '../course-files.ts';
import type { LearningStandard } from '../learning-standard.ts';
import { quoted } from '../package-error.ts';
import { childOf, everyElement, textOf, XMLNS_NAMESPACE, type XmlElement } from '../xml-tree.ts';

/** Longer texts are not versions. The limit also makes the expressions below fast. */
const VERSION_CHARACTERS = 100;

const SCORM_2004_NAMESPACES = ['adlcp_v1p3', 'adlseq_v1p3', 'adlnav_v1p3', 'imsglobal.org/xsd/imsss'];
const SCORM_12_NAMESPACES = ['adlcp_rootv1p2', 'imscp_rootv1p1p2'];
const COMMON_CARTRIDGE_NAMESPACE = 'imscc';

/** Elements that only the schemas of the 4th edition have, by namespace and name. */
const FOURTH_EDITION_ELEMENTS = [
  ['adlseq_v1p3', 'objectives'],
  ['adlcp_v1p3', 'data'],
] as const;
const FOURTH_EDITION_ATTRIBUTES = new Set(['completedByMeasure', 'minProgressMeasure', 'progressWeight']);

/**
 * The SCORM version of a manifest: from its `schemaversion` or, if that is unknown, from the namespaces in use, with a
 * warning. Null if it is not a SCORM course but plain IMS content or a Common Cartridge.
 */
export function scormEdition(manifest: XmlElement, course: CourseFiles): LearningStandard | null {
  const metadata = childOf(manifest, 'metadata');
  const schema = textOf(childOf(metadata, 'schema'))?.slice(0, VERSION_CHARACTERS) ?? '';
  const version = normalVersion(textOf(childOf(metadata, 'schemaversion')));
  const traits = traitsOf(manifest);
  if (/common cartridge/i.test(schema) || traits.uses(COMMON_CARTRIDGE_NAMESPACE)) return null;

  const stated = statedEdition(version);
  if (stated === 'SCORM_12' && traits.uses(...SCORM_2004_NAMESPACES)) {
    course.warn('The manifest declares SCORM 1.2, but uses SCORM 2004. The course is treated as SCORM 1.2.');
  }
  // Plain IMS content packages have separate versions, 1.1 to 1.1.4.
  if (stated !== null && (stated !== 'SCORM_11' || /scorm/i.test(schema))) return stated;

  const used = usedEdition(traits, version);
  if (used !== null) {
    const declared = version === '' ? 'no SCORM version' : `the unknown SCORM version ${quoted(version)}`;
    course.warn(
      `The manifest declares ${declared}. The course is treated as ${used}, which its content suggests.`,
    );
  }
  return used;
}

function normalVersion(text: string | null): string {
  return (text ?? '').slice(0, VERSION_CHARACTERS).replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function statedEdition(version: string): LearningStandard | null {
  if (/^(?:scorm )?1\.1$/.test(version)) return 'SCORM_11';
  if (/^(?:scorm )?1\.2(?:\.\d+)?$/.test(version)) return 'SCORM_12';
  if (/2004.*4th/.test(version)) return 'SCORM_2004_4TH_EDITION';
  if (/2004.*3rd/.test(version)) return 'SCORM_2004_3RD_EDITION';
  if (/2004.*2nd/.test(version) || /^(?:cam )?1\.3(?:\.\d+)?$/.test(version)) return 'SCORM_2004_2ND_EDITION';
  return null;
}

function usedEdition(traits: ManifestTraits, version: string): LearningStandard | null {
  if (traits.uses(...SCORM_2004_NAMESPACES) || version.includes('2004')) {
    return traits.fourthEdition ? 'SCORM_2004_4TH_EDITION' : 'SCORM_2004_3RD_EDITION';
  }
  return traits.uses(...SCORM_12_NAMESPACES) ? 'SCORM_12' : null;
}

interface ManifestTraits {
  /** Whether a declared or used namespace contains one of these texts; the rest varies between publishers. */
  uses(...parts: readonly string[]): boolean;
  readonly fourthEdition: boolean;
}

function traitsOf(manifest: XmlElement): ManifestTraits {
  const namespaces = new Set<string>();
  let fourthEdition = false;
  for (const element of everyElement(manifest)) {
    namespaces.add(element.namespace);
    fourthEdition ||= FOURTH_EDITION_ELEMENTS.some(
      ([namespace, name]) => element.namespace.includes(namespace) && element.name === name,
    );
    for (const { name, namespace, value } of element.attributes) {
      namespaces.add(namespace === XMLNS_NAMESPACE ? value : namespace);
      fourthEdition ||= FOURTH_EDITION_ATTRIBUTES.has(name);
    }
  }
  const all = [...namespaces].join(' ').toLowerCase();
  return { uses: (...parts) => parts.some((part) => all.includes(part)), fourthEdition };
}
