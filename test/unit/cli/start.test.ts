import { test } from '@jest/globals';
import { expectGolden, type Run } from '../../support/golden.js';

/** What starts something, as far as nothing is started. */
const HELP = ['', 'demo', 'sandbox', 'sandbox up', 'sandbox down', 'sandbox env', 'controller', 'console'];

const LINES = [
  'demo --members 1',
  'demo --members 3 --kubeconfig missing',
  'demo --namespace shop',
  'demo --member-kubeconfig missing',
  'demo --kubeconfig missing',
  'demo --clean --exit',
  'demo --clean --dir nowhere',
  'demo --download=http://example.com',
  'sandbox',
  'sandbox up --members 21',
  'sandbox up --dir=',
  'sandbox up --download=ftp://mirror.example',
  'sandbox down --dir nowhere',
  'sandbox env --dir nowhere',
  'sandbox left',
  'controller --engine none --concurrent 0 --health-addr nowhere --requeue-dependency 0s',
  'controller --leader-elect=yes',
  'controller --health-addr 127.0.0.1:0 --kubeconfig missing',
  'console --addr nowhere --requests-per-minute 0',
  'console --tls-cert-file missing',
  'console --oidc-client-id fairlead',
  'console --kubeconfig missing',
];

const TIME = [/(?<="time":")[^"]+/g, 'TIME'] as const;
const options = { flags: [], normal: [TIME] };

test('the help of what starts something', async () => {
  const runs: Run[] = HELP.map((verb) => ({ line: [verb, '--help'].join(' ').trim() }));
  const narrow: Run[] = ['demo', 'console'].map((verb) => ({ line: `${verb} --help`, columns: 80 }));
  await expectGolden('test/unit/cli/start-help.golden', [...runs, ...narrow], options);
}, 120_000);

test('what does not start', async () => {
  const terminal = { line: 'demo --clean --dir nowhere', columns: 40 };
  const runs: Run[] = [...LINES.map((line) => ({ line })), terminal];
  await expectGolden('test/unit/cli/start.golden', runs, options);
}, 180_000);
