import { expect, test } from '@jest/globals';
import { readXml } from '#controllers/source/bucket/model/xml.js';

function textsOf(xml: string): string[] | undefined {
  const texts: string[] = [];
  const isRead = readXml(xml, { onText: (path, text) => texts.push(`${path.join('/')}=${text}`) });
  return isRead ? texts : undefined;
}

test.each<[string, string, string[] | undefined]>([
  ['texts by their paths', '<a><b>1</b><b>2</b></a>', ['a/b=1', 'a/b=2']],
  ['the entities of XML, and no text of CDATA is an element', '<a>&lt;&amp;<![CDATA[<b>]]></a>', ['a=<&', 'a=<b>']],
  ['eight elements in each other', '<a>'.repeat(8) + 'x' + '</a>'.repeat(8), [`${'a/'.repeat(7)}a=x`]],
  ['nine', '<a>'.repeat(9) + 'x' + '</a>'.repeat(9), undefined],
  ['an entity of its own', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', undefined],
  ['an element that does not end', '<a><b>1</b>', undefined],
  ['JSON', '{"a": 1}', undefined],
])('%s', (_title, xml, texts) => {
  expect(textsOf(xml)).toEqual(texts);
});

test('elements are told when they begin', () => {
  const paths: string[] = [];
  readXml('<a><b/><c>x</c></a>', { onOpen: (path) => paths.push(path.join('/')), onText: () => undefined });
  expect(paths).toEqual(['a', 'a/b', 'a/c']);
});
