import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackageError, type PackageErrorCode } from './package-error.ts';
import { DEFAULT_PACKAGE_LIMITS, type PackageLimits } from './package-limits.ts';
import { attributeOf, childOf, childrenOf, everyElement, parseXml, textOf } from './xml-tree.ts';

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

const parse = (text: string, limits: Partial<PackageLimits> = {}) =>
  parseXml({ pieces: () => text.match(/[\s\S]{1,1000}/gu) ?? [] }, 'imsmanifest.xml', {
    ...DEFAULT_PACKAGE_LIMITS,
    ...limits,
  });

const refusedAs = (code: PackageErrorCode) => (error: unknown) =>
  error instanceof PackageError && error.code === code;

describe('an XML tree', () => {
  it('has local names, namespaces, attributes, children and text', async () => {
    const root = await parse('<a:m xmlns:a="urn:a" a:x="1"> one<b>two</b><![CDATA[ <three> ]]>&amp;</a:m>');
    assert.deepEqual(root, {
      name: 'm',
      namespace: 'urn:a',
      attributes: [
        { name: 'a', namespace: XMLNS_NAMESPACE, value: 'urn:a' },
        { name: 'x', namespace: 'urn:a', value: '1' },
      ],
      children: [{ name: 'b', namespace: '', attributes: [], children: [], text: 'two' }],
      text: ' one <three> &',
    });
  });

  it('is the same when it is long enough to be parsed in pieces', async () => {
    const items = Array.from({ length: 30_000 }, (_, index) => `<item n="${index}">😀</item>`);
    const root = await parse(`<m>${items.join('')}</m>`);
    assert.equal(root.children.length, items.length);
    assert.ok(
      root.children.every((item, index) => item.text === '😀' && attributeOf(item, 'n') === String(index)),
    );
  });

  it('is searched regardless of case and namespace', async () => {
    const root = await parse(
      '<m xmlns:a="urn:a"><Item/><a:ITEM scormType=" sco "/><org><Title> T </Title></org><blank> </blank></m>',
    );
    assert.equal(childrenOf(root, 'item').length, 2);
    assert.equal(attributeOf(childrenOf(root, 'item')[1], 'scormtype'), 'sco');
    assert.equal(textOf(childOf(root, 'org', 'title')), 'T');
    assert.equal(textOf(childOf(root, 'blank')), null);
    assert.equal(textOf(childOf(root, 'gone', 'title')), null);
    assert.deepEqual(
      [...everyElement(root)].map(({ name }) => name),
      ['m', 'Item', 'ITEM', 'org', 'Title', 'blank'],
    );
  });

  it('binds an undeclared prefix as in SCORM 2004 if its text mentions that, wherever a piece of the text ends', async () => {
    for (let blanks = 960; blanks < 1_000; blanks += 1) {
      const root = await parse(`<m>${' '.repeat(blanks)}<adlcp:x/>adlcp_v1p3</m>`);
      assert.equal(root.children[0]?.namespace, 'http://www.adlnet.org/xsd/adlcp_v1p3');
    }
    const root = await parse('<m><adlcp:x/></m>');
    assert.equal(root.children[0]?.namespace, 'http://www.adlnet.org/xsd/adlcp_rootv1p2');
  });

  it('distinguishes attributes with the same name by their namespaces', async () => {
    const root = await parse('<m base="x" xml:base="y"/>');
    assert.equal(attributeOf(root, 'base', XML_NAMESPACE), 'y');
  });
});

describe('XML that is refused', () => {
  const malformed = [
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a b="1" b="2"/>',
    '<a>&nbsp;</a>',
    '<x:a/>',
    'text',
    '<a>\u0001</a>',
    '',
  ];
  for (const text of malformed) {
    it(`malformed: ${JSON.stringify(text)}`, () => assert.rejects(parse(text), refusedAs('XML_MALFORMED')));
  }

  it('malformed, and the message says where', async () => {
    await assert.rejects(
      parse('<a>\n  <b>\n</a>'),
      /"imsmanifest\.xml" is not well-formed XML \(line:column: "3:/,
    );
  });

  it('any document type declaration', async () => {
    const declarations = [
      '<!DOCTYPE a>',
      '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd">',
      '<!DOCTYPE a [<!ENTITY e "x">]>',
    ];
    for (const declaration of declarations) {
      await assert.rejects(parse(`${declaration}<a/>`), refusedAs('XML_DOCTYPE'));
    }
  });

  it('deeper than the limit, and not at the limit', async () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    await parse(nested(10), { xmlDepth: 10 });
    await assert.rejects(parse(nested(11), { xmlDepth: 10 }), refusedAs('MANIFEST_TOO_COMPLEX'));
  });

  it('of more elements and attributes than the limit, and not at the limit', async () => {
    await parse('<a b="1" c="2"><d/></a>', { manifestNodes: 4 });
    await assert.rejects(
      parse('<a b="1" c="2"><d/><d/></a>', { manifestNodes: 4 }),
      refusedAs('MANIFEST_TOO_COMPLEX'),
    );
  });

  it('with a longer attribute than the limit, or more attributes of an element, and not at the limit', async () => {
    await parse('<a b="12345" c="2"/>', { attributeCharacters: 5, elementAttributes: 2 });
    for (const [text, limits] of [
      ['<a b="123456"/>', { attributeCharacters: 5 }],
      ['<a b="1" c="2" d="3"/>', { elementAttributes: 2 }],
    ] as const)
      await assert.rejects(parse(text, limits), refusedAs('MANIFEST_TOO_COMPLEX'));
  });
});
