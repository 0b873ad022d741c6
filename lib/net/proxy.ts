import { BlockList, isIP } from 'node:net';
import { TerminalError } from '../errors.js';

/** Which requests go through a proxy. */
export interface ProxySettings {
  /** Proxies for http and https addresses, as URLs; they may hold credentials. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, separated by commas. */
  readonly none?: string | undefined;
}

/** Host and port of an address, the host without brackets. */
interface Target {
  readonly host: string;
  readonly port: string;
}

type Matcher = (target: Target) => boolean;

const PROXY_SCHEMES = /^(https?|socks5h?):$/;
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const HOST_AND_PORT = /^(?:\[([^\]]*)\]|([^:]*)):(\d*)$/;

/** True for the URL of a proxy, with its scheme. */
export function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && PROXY_SCHEMES.test(new URL(text).protocol) && new URL(text).hostname !== '';
}

/** `text` as a URL; without a scheme it means http, as in Go. Undefined when it is none. */
function proxyUrl(text: string): string | undefined {
  const url = text.includes('://') ? text : `http://${text}`;
  return isProxyUrl(url) ? url : undefined;
}

function variable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return [env[name], env[name.toLowerCase()]].find((value) => value !== undefined && value !== '');
}

/**
 * The settings in HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or in lower case. Throws a TerminalError `SettingsInvalid`,
 * which does not show the value, when a proxy is not a URL.
 */
export function proxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const proxy = (name: string): string | undefined => {
    const value = variable(env, name);
    const url = value === undefined ? undefined : proxyUrl(value);
    if (value === undefined || url !== undefined) return url;
    throw new TerminalError(
      'SettingsInvalid',
      `${name} is not the URL of a proxy: write e.g. http://proxy.example.com:3128`,
    );
  };
  return { http: proxy('HTTP_PROXY'), https: proxy('HTTPS_PROXY'), none: variable(env, 'NO_PROXY') };
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 6 ? 'ipv6' : 'ipv4';
}

/** A matcher for a range such as `10.0.0.0/8`; undefined when `text` is none. */
function rangeMatcher(text: string): Matcher | undefined {
  const [ip = '', bits = '', ...rest] = text.split('/');
  const isRange =
    isIP(ip) !== 0 && /^\d+$/.test(bits) && rest.length === 0 && Number(bits) <= (isIP(ip) === 6 ? 128 : 32);
  if (!isRange) return undefined;
  const range = new BlockList();
  range.addSubnet(ip, Number(bits), familyOf(ip));
  return ({ host }) => isIP(host) !== 0 && range.check(host, familyOf(host));
}

function hostMatcher(text: string): Matcher {
  const [, bracketed, named, port = ''] = HOST_AND_PORT.exec(text) ?? [];
  const host = bracketed ?? named ?? text;
  const fits = (target: Target): boolean => port === '' || target.port === port;
  if (host === '') return () => false;
  if (isIP(host) !== 0) {
    const one = rangeMatcher(`${host}/${isIP(host) === 6 ? 128 : 32}`);
    return (target) => fits(target) && one?.(target) === true;
  }
  const suffix = host.startsWith('*.') ? host.slice(1) : host;
  const subdomains = suffix.startsWith('.') ? suffix : `.${suffix}`;
  return (target) => fits(target) && (target.host.endsWith(subdomains) || target.host === suffix);
}

function isDirect(target: Target, none: string): boolean {
  if (target.host === 'localhost' || target.host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(target.host)) return true;
  const entries = none.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry === '*' || (rangeMatcher(entry) ?? hostMatcher(entry))(target));
}

/**
 * The proxy for a request to `address` (http or https); undefined when there is none. The rules are those of Go's
 * net/http (golang.org/x/net/http/httpproxy): loopback is never proxied; NO_PROXY lists hosts (with their subdomains;
 * with a dot in front these alone), addresses and ranges, each with an optional port (not ranges), or `*`.
 */
export function proxyFor(address: string, { http, https, none = '' }: ProxySettings): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? (PORTS[protocol] ?? '') : port };
  const proxy = protocol === 'https:' ? https : protocol === 'http:' ? http : undefined;
  return proxy === undefined || isDirect(target, none) ? undefined : proxy;
}
