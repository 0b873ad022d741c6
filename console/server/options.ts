import { optionsFrom, type OptionRow, type RawOptions } from '#manager/option-row.js';
import { addressOf, objectName, oneOf, type Address } from '#manager/option-values.js';
import { LOG_LEVELS, OPTIONS } from '#manager/options.js';
import { OIDC_OPTIONS, oidcProblems, type OidcOptions } from './oidc-options.js';
import { addressesIn, includesAddress, subnetOf } from './peers.js';

/** How one process of the console server runs. */
export interface ConsoleOptions extends OidcOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  readonly addr: Address;
  readonly healthAddr: Address;
  readonly tlsCertFile: string | undefined;
  readonly tlsKeyFile: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly proxyCaFile: string | undefined;
  readonly proxyNames: readonly string[];
  readonly proxyAddresses: readonly string[];
  readonly clusterName: string;
  readonly publicUrls: readonly string[];
  readonly requestsPerMinute: number;
  readonly oneTimeLogin: boolean;
  readonly helmPath: string;
  readonly logLevel: string;
}

const FILE = { value: 'file', parse: (text: string) => (text === '' ? undefined : text) };
const ADDRESS = { value: 'address', parse: addressOf, expects: 'host:port' };

function itemsOf(text: string): readonly string[] {
  return text.split(',').filter((item) => item !== '');
}

/** Addresses and subnets, separated by commas. */
function subnets(text: string): readonly string[] | undefined {
  const items = itemsOf(text);
  return items.every((item) => subnetOf(item) !== undefined) ? items : undefined;
}

/** URLs of web servers, separated by commas. */
function webAddresses(text: string): readonly string[] | undefined {
  const items = itemsOf(text);
  return items.every((item) => URL.canParse(item) && /^https?:$/.test(new URL(item).protocol)) ? items : undefined;
}

function count(text: string): number | undefined {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}

/** The flags that say which cluster, and which part of it, are those of the controller. */
const SHARED = ['kubeconfig', 'context', 'namespace'];

export const CONSOLE_OPTIONS: readonly OptionRow[] = [
  ...OPTIONS.filter(({ key }) => SHARED.includes(key)),
  {
    ...{ key: 'addr', flag: 'addr', ...ADDRESS, defaultValue: '127.0.0.1:8090' },
    description: 'Address of the API.',
  },
  {
    ...{ key: 'healthAddr', flag: 'health-addr', ...ADDRESS, defaultValue: '127.0.0.1:8091' },
    description: 'Address of `/healthz`, `/readyz` and `/metrics`.',
  },
  {
    ...{ key: 'tlsCertFile', flag: 'tls-cert-file', ...FILE },
    description: 'Certificate of the API (PEM). Default: plain HTTP.',
  },
  { ...{ key: 'tlsKeyFile', flag: 'tls-key-file', ...FILE }, description: 'Key of that certificate (PEM).' },
  {
    ...{ key: 'clientCaFile', flag: 'client-ca-file', ...FILE },
    description: 'Certificates (PEM) of the authorities whose client certificates name users. It needs TLS.',
  },
  {
    ...{ key: 'proxyCaFile', flag: 'requestheader-client-ca-file', ...FILE },
    description:
      'Certificates (PEM) of the authorities whose client certificates make a proxy trusted: its `X-Remote-User`, `X-Remote-Group` and `X-Remote-Extra-*` headers say who the user is. It needs TLS.',
  },
  {
    ...{ key: 'proxyNames', flag: 'requestheader-allowed-names', value: 'names', defaultValue: '' },
    parse: itemsOf,
    description: 'Common names of these certificates, separated by commas. Default: all.',
  },
  {
    ...{ key: 'proxyAddresses', flag: 'trusted-proxies', value: 'subnets', defaultValue: '', parse: subnets },
    expects: 'a list of addresses and subnets, separated by commas',
    description:
      'Addresses and subnets of proxies that are trusted without a certificate, separated by commas. Any process that can send from there can be any user.',
  },
  ...OIDC_OPTIONS,
  {
    ...{ key: 'clusterName', flag: 'cluster-name', value: 'name', defaultValue: 'host', parse: objectName },
    description: 'Name of this cluster in `/kapis/clusters/NAME/...`.',
  },
  {
    ...{ key: 'publicUrls', flag: 'public-url', value: 'urls', defaultValue: '', parse: webAddresses },
    expects: 'a list of URLs that begin with http:// or https://, separated by commas',
    description:
      'Addresses under which browsers find this server, e.g. through KubeSphere, separated by commas. Changes are only made for pages of these, and of the hosts in `Host` and in `X-Forwarded-Host` of a trusted proxy.',
  },
  {
    ...{ key: 'requestsPerMinute', flag: 'requests-per-minute', value: 'number', defaultValue: '1200', parse: count },
    expects: 'a whole number from 1 to 9999999',
    description: 'Most requests per minute of one user behind a trusted proxy, and of one other address.',
  },
  {
    ...{ key: 'oneTimeLogin', flag: 'one-time-login' },
    description:
      'Sign users in by links that work once. Codes and tokens come from the process that started this one, by its IPC channel, as `fairlead demo` does it. It needs a loopback address.',
  },
  {
    ...{ key: 'helmPath', flag: 'helm-path', value: 'file', defaultValue: 'helm' },
    description: 'helm 4, for templates of values; without it, values of templates are not shown.',
  },
  {
    ...{ key: 'logLevel', flag: 'log-level', value: 'level', defaultValue: 'info', parse: oneOf(LOG_LEVELS) },
    expects: `one of ${LOG_LEVELS.join(', ')}`,
    description: `Log level: ${LOG_LEVELS.join(', ')}.`,
  },
];

const LOOPBACK = addressesIn(['127.0.0.0/8', '::1']);

function isLoopback(host: string): boolean {
  return host === 'localhost' || includesAddress(LOOPBACK, host);
}

function problemsOf(options: ConsoleOptions): string[] {
  const { tlsCertFile, tlsKeyFile, clientCaFile, proxyCaFile, proxyNames, oneTimeLogin, addr } = options;
  const isSecure = tlsCertFile !== undefined;
  const files = { 'client-ca-file': clientCaFile, 'requestheader-client-ca-file': proxyCaFile };
  const unusable = Object.entries(files).filter(([, file]) => file !== undefined && !isSecure);
  return [
    ...(isSecure === (tlsKeyFile !== undefined) ? [] : ['--tls-cert-file and --tls-key-file: set both or none']),
    ...(proxyNames.length === 0 || proxyCaFile !== undefined
      ? []
      : ['--requestheader-allowed-names: it needs --requestheader-client-ca-file']),
    ...(oneTimeLogin && !isLoopback(addr.host) ? ['--one-time-login: it needs an --addr on loopback'] : []),
    ...oidcProblems(options),
    ...unusable.map(([flag]) => `--${flag}: it needs --tls-cert-file and --tls-key-file`),
  ];
}

/** Throws a RangeError with one line for each wrong value, which names its flag. */
export function parseConsoleOptions(raw: RawOptions): ConsoleOptions {
  // The table has one row for each key of ConsoleOptions (test/unit/console/server/options.test.ts).
  const options = optionsFrom(CONSOLE_OPTIONS, raw) as unknown as ConsoleOptions;
  const problems = problemsOf(options);
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
  return Object.freeze(options);
}
