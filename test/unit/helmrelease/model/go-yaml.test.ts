import { describe, expect, test } from '@jest/globals';
import { RawNumber } from '#lib/json/lossless-json.js';
import { printGoYaml } from '#controllers/helmrelease/model/digest.js';
import { Int64 } from '#controllers/helmrelease/model/set-path.js';

/** JSON in, and what Flux's chartutil.Encode printed for it. */
const GOLDEN: readonly (readonly [name: string, json: string, yaml: string])[] = [
  [
    'maps, lists and empty containers',
    '{"a":1,"b":"x","c":{"d":[1,2,{"e":"f","g":[["q"],[]]}],"h":{}},"n":null,"t":true}',
    'a: 1\nb: x\nc:\n  d:\n  - 1\n  - 2\n  - e: f\n    g:\n    - - q\n    - []\n  h: {}\n"n": null\nt: true\n',
  ],
  [
    'strings that need a decision',
    '{"s":["yes","no","on","y","n","~","null","true","True","","1","1.5","0x1f","1_000","12:30:45","2001-01-01","- a","a: b","a #b","#x","a:","\'q\'","\\"dq\\"","with\\nnewline","trail\\n","tab\\t",".5","1e3","@x","`x","%x","&x","*x","!x","|x",">x","{x","[x","]x","}x",",x","?x","? x","-x","-","--- x","a,b","  lead","trail ","\u00e9","<<","=","0o14","0b1","+1",".inf",".nan","NaN","off","Off","N","Y","=x","x=y","http://a:80/b","\\u0001","a\\\\b"]}',
    's:\n- "yes"\n- "no"\n- "on"\n- "y"\n- "n"\n- "~"\n- "null"\n- "true"\n- "True"\n- ""\n- "1"\n- "1.5"\n- "0x1f"\n- "1_000"\n- "12:30:45"\n- "2001-01-01"\n- \'- a\'\n- \'a: b\'\n- \'a #b\'\n- \'#x\'\n- \'a:\'\n- \'\'\'q\'\'\'\n- \'"dq"\'\n- |-\n  with\n  newline\n- |\n  trail\n- "tab\\t"\n- ".5"\n- "1e3"\n- \'@x\'\n- \'`x\'\n- \'%x\'\n- \'&x\'\n- \'*x\'\n- \'!x\'\n- \'|x\'\n- \'>x\'\n- \'{x\'\n- \'[x\'\n- \']x\'\n- \'}x\'\n- \',x\'\n- ?x\n- \'? x\'\n- -x\n- \'-\'\n- \'--- x\'\n- a,b\n- \'  lead\'\n- \'trail \'\n- \u00e9\n- <<\n- =\n- "0o14"\n- "0b1"\n- "+1"\n- ".inf"\n- ".nan"\n- NaN\n- "off"\n- "Off"\n- "N"\n- "Y"\n- =x\n- x=y\n- http://a:80/b\n- "\\x01"\n- a\\b\n',
  ],
  [
    'numbers: integers of 64 bits, and float64',
    '{"big":1000000,"f":1.5,"small":0.00001,"neg":-3,"huge":1e21,"mid":123456789,"k":100000,"e20":12345678901234567890,"z":0,"p":0.1}',
    'big: 1000000\ne20: 12345678901234567168\nf: 1.5\nhuge: 1e+21\nk: 100000\nmid: 123456789\nneg: -3\np: 0.1\nsmall: 1e-05\nz: 0\n',
  ],
  [
    'long and multi-line text',
    '{"long":"lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua","ml":"line one\\n  line two\\n\\nline four\\n","ml2":"\\n lead","ml3":"x\\n\\n","ml4":"  indented\\nx","longq":"lorem: ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna"}',
    "long: lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor\n  incididunt ut labore et dolore magna aliqua\nlongq: 'lorem: ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor\n  incididunt ut labore et dolore magna'\nml: |\n  line one\n    line two\n\n  line four\nml2: |2-\n\n   lead\nml3: |+\n  x\n\nml4: |2-\n    indented\n  x\n",
  ],
  [
    'keys of every kind',
    '{"true":1,"1":2,"a b":3,"x.y/z":4,"":5,"yes":6,"\u00e9":7}',
    '"": 5\n"1": 2\na b: 3\n"true": 1\nx.y/z: 4\n"yes": 6\n\u00e9: 7\n',
  ],
  [
    'long and multi-line keys, and text beyond the basic plane',
    '{"\\nab": "\\ud83d\\ude00x", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": [1, {"a": []}], "x": "\\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab end"}',
    '? |2-\n\n  ab\n: "\\U0001F600x"\n? kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n: - 1\n  - a: []\nx: "\\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab\n  \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab \\ttab\n  \\ttab \\ttab \\ttab end"\n',
  ],
];

describe('printGoYaml', () => {
  test.each(GOLDEN)('prints %s as go-yaml does', (_name, json, yaml) => {
    expect(printGoYaml(JSON.parse(json))).toBe(yaml);
  });

  test('an empty map is a line of its own', () => {
    expect(printGoYaml({})).toBe('{}\n');
  });

  test('key order does not matter', () => {
    expect(printGoYaml({ b: 1, a: { d: 2, c: 3 } })).toBe(printGoYaml({ a: { c: 3, d: 2 }, b: 1 }));
  });

  test('a number that a double cannot hold is printed as Go reads it into a float64', () => {
    expect(printGoYaml({ big: new RawNumber('9007199254740993') })).toBe('big: 9007199254740992\n');
  });

  test('an integer that --set has read keeps every digit', () => {
    expect(printGoYaml({ big: new Int64('9007199254740993') })).toBe('big: 9007199254740993\n');
  });

  test('keys are in the order of their bytes', () => {
    expect(printGoYaml({ '\u{1f680}': 1, '\uffee': 2 })).toBe('\uffee: 2\n"\\U0001F680": 1\n');
  });

  test.each(['\r', '\u0085', '\u2028', '\u2029'])('%j in a key makes it explicit', (text) => {
    expect(printGoYaml({ [`a${text}b`]: 1 })).toMatch(/^\? .*\n: 1\n$/s);
  });
});
