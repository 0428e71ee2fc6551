import { setImmediate } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { PackageError, packageError } from './package-error.ts';
import type { PackageLimits } from './package-limits.ts';
import type { PiecewiseText } from './text-decoding.ts';

/** The namespace of `xml:base` and `xml:lang`. */
export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

/** The namespace of namespace declarations. */
export const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** Prefixes of SCORM manifests, by what their schemas bind them to; those of ADL differ between versions. */
const WELL_KNOWN_PREFIXES: ReadonlyMap<string, (isScorm2004: boolean) => string> = new Map([
  ['xsi', () => 'http://www.w3.org/2001/XMLSchema-instance'],
  ['adlcp', (is2004: boolean) => `http://www.adlnet.org/xsd/${is2004 ? 'adlcp_v1p3' : 'adlcp_rootv1p2'}`],
  ['adlseq', () => 'http://www.adlnet.org/xsd/adlseq_v1p3'],
  ['adlnav', () => 'http://www.adlnet.org/xsd/adlnav_v1p3'],
  ['imsss', () => 'http://www.imsglobal.org/xsd/imsss'],
  [
    'imscp',
    (is2004: boolean) =>
      `http://www.ims${is2004 ? 'global.org/xsd/imscp_v1p1' : 'project.org/xsd/imscp_rootv1p1p2'}`,
  ],
  ['imsmd', (is2004: boolean) => `http://www.ims${is2004 ? 'global' : 'project'}.org/xsd/imsmd_rootv1p2p1`],
  ['lom', () => 'http://ltsc.ieee.org/xsd/LOM'],
]);

/** An attribute by its local name. Namespace declarations are among them. */
export interface XmlAttribute {
  readonly name: string;
  readonly namespace: string;
  readonly value: string;
}

/** An element by its local name. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** The text directly in it, unchanged. */
  readonly text: string;
}

type GrowingElement = { -readonly [name in keyof XmlElement]: XmlElement[name] };

/** The lists of an element that has none, because most elements of a large manifest have no children or attributes. */
const NO_ATTRIBUTES: readonly XmlAttribute[] = Object.freeze([]);
const NO_CHILDREN: readonly XmlElement[] = Object.freeze([]);

/** Words that only SCORM 2004 uses, and the length of the longest. */
const SCORM_2004_WORDS = /2004|adlcp_v1p3|imsss/;
const SCORM_2004_WORD_CHARACTERS = 10;

/**
 * Parses an untrusted manifest. Only the five entities of XML exist, because document type declarations are rejected.
 *
 * A well-known prefix that the document uses without declaring it is bound to its usual namespace.
 *
 * @param onBound called with each such prefix
 * @throws {PackageError} XML_MALFORMED, XML_DOCTYPE, MANIFEST_TOO_COMPLEX
 */
export async function parseXml(
  text: PiecewiseText,
  file: string,
  limits: PackageLimits,
  onBound: (prefix: string) => void = () => {},
): Promise<XmlElement> {
  const bound: Record<string, string> = {};
  for (;;) {
    try {
      return await parseWith(bound, text, file, limits);
    } catch (error) {
      const prefix = unboundPrefix(error);
      const namespaceOf = WELL_KNOWN_PREFIXES.get(prefix ?? '');
      if (prefix === null || namespaceOf === undefined || prefix in bound) throw error;
      bound[prefix] = namespaceOf(mentionsScorm2004(text));
      onBound(prefix);
    }
  }
}

function unboundPrefix(error: unknown): string | null {
  const reason = error instanceof PackageError && error.cause instanceof Error ? error.cause.message : '';
  return /unbound namespace prefix: "(\w+)"/.exec(reason)?.[1] ?? null;
}

async function parseWith(
  namespaces: Record<string, string>,
  text: PiecewiseText,
  file: string,
  limits: PackageLimits,
): Promise<XmlElement> {
  const builder = new TreeBuilder(file, limits, namespaces);
  for (const piece of text.pieces()) {
    builder.write(piece);
    // Parsing is synchronous. Other work runs between pieces.
    await setImmediate();
  }
  return builder.close();
}

function mentionsScorm2004(text: PiecewiseText): boolean {
  let end = '';
  for (const piece of text.pieces()) {
    if (SCORM_2004_WORDS.test(end + piece)) return true;
    end = (end + piece).slice(-SCORM_2004_WORD_CHARACTERS);
  }
  return false;
}

class TreeBuilder {
  readonly #parser: SaxesParser<{ xmlns: true }>;
  readonly #file: string;
  readonly #limits: PackageLimits;
  readonly #open: GrowingElement[] = [];
  readonly #names = new Map<string, string>();
  #root: XmlElement | null = null;
  #nodes = 0;
  #attributes = 0;

  constructor(file: string, limits: PackageLimits, namespaces: Record<string, string>) {
    this.#parser = new SaxesParser({ xmlns: true, additionalNamespaces: namespaces });
    this.#file = file;
    this.#limits = limits;
    const addText = (text: string): void => {
      const element = this.#open.at(-1);
      if (element !== undefined) element.text += text;
    };
    this.#parser.on('error', (error) => {
      throw packageError('XML_MALFORMED', { file, reason: error.message }, { cause: error });
    });
    this.#parser.on('doctype', () => {
      throw packageError('XML_DOCTYPE', { file });
    });
    this.#parser.on('opentagstart', () => {
      this.#attributes = 0;
      this.#count();
    });
    this.#parser.on('attribute', ({ value }) => {
      this.#attributes += 1;
      const { elementAttributes, attributeCharacters } = this.#limits;
      if (this.#attributes > elementAttributes || value.length > attributeCharacters) {
        throw packageError('MANIFEST_TOO_COMPLEX', { file });
      }
      this.#count();
    });
    this.#parser.on('opentag', ({ local, uri, attributes }) =>
      this.#begin({
        name: this.#once(local),
        namespace: this.#once(uri),
        attributes:
          this.#attributes === 0
            ? NO_ATTRIBUTES
            : Object.values(attributes).map((attribute) => ({
                name: this.#once(attribute.local),
                namespace: this.#once(attribute.uri),
                value: attribute.value,
              })),
        children: NO_CHILDREN,
        text: '',
      }),
    );
    this.#parser.on('text', addText);
    this.#parser.on('cdata', addText);
    this.#parser.on('closetag', () => this.#open.pop());
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  close(): XmlElement {
    this.#parser.close();
    if (this.#root === null) throw packageError('XML_MALFORMED', { file: this.#file, reason: 'it is empty' });
    return this.#root;
  }

  #begin(element: GrowingElement): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else if (parent.children === NO_CHILDREN) parent.children = [element];
    else (parent.children as XmlElement[]).push(element);
    this.#open.push(element);
  }

  /** The first of equal names, so that the tree contains each name once. */
  #once(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, name);
    return name;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > this.#limits.manifestNodes || this.#open.length >= this.#limits.xmlDepth) {
      throw packageError('MANIFEST_TOO_COMPLEX', { file: this.#file });
    }
  }
}

/** The children of this name, ignoring case and namespace, because manifests often get both wrong. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  const wanted = name.toLowerCase();
  return element?.children.filter((child) => child.name.toLowerCase() === wanted) ?? [];
}

/** The first child of this name, ignoring case and namespace; then that child's first child, and so on. */
export function childOf(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) {
    const wanted = name.toLowerCase();
    found = found?.children.find((child) => child.name.toLowerCase() === wanted);
  }
  return found;
}

/** The trimmed text of an element, null if it is missing or blank. */
export function textOf(element: XmlElement | undefined): string | null {
  return element?.text.trim() || null;
}

/** The trimmed value of an attribute, ignoring the case of its name. Null if it is missing or blank. */
export function attributeOf(
  element: XmlElement | undefined,
  name: string,
  namespace?: string,
): string | null {
  const wanted = name.toLowerCase();
  const attribute = element?.attributes.find(
    (candidate) =>
      candidate.name.toLowerCase() === wanted &&
      (namespace === undefined || candidate.namespace === namespace),
  );
  return attribute?.value.trim() || null;
}

/** An element and its descendants, in document order. Its time does not depend on the depth, and its memory on nothing else. */
export function* everyElement(element: XmlElement): Generator<XmlElement> {
  const open = [[element].values()];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { value: next, done } = level.next();
    if (done === true) {
      open.pop();
      continue;
    }
    yield next;
    if (next.children.length > 0) open.push(next.children.values());
  }
}
