import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

// Where a webhook may not go: everything that is not of the public internet, for the receiver's address is anybody's word
// and this process stands inside a network. Decided at the connection, not when the URL is set: names change.

const NOT_PUBLIC = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  NOT_PUBLIC.addSubnet(network, bits, 'ipv4');
}

/** Of IPv6 only what is given out (2000::/3) is public, without its parts that lead elsewhere or nowhere. */
const PUBLIC_6 = new BlockList();
PUBLIC_6.addSubnet('2000::', 3, 'ipv6');
const NOT_PUBLIC_6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  NOT_PUBLIC_6.addSubnet(network, bits, 'ipv6');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a webhook may be sent to an address. @param loopback whether this machine itself is allowed: in development */
export function isAllowed(address: string, loopback: boolean): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) {
    return isAllowed(mapped, loopback);
  }
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0) {
    return false;
  }
  if (LOOPBACK.check(address, family)) {
    return loopback;
  }
  return family === 'ipv4'
    ? !NOT_PUBLIC.check(address, family)
    : PUBLIC_6.check(address, family) && !NOT_PUBLIC_6.check(address, family);
}

/** Said of an address that is refused; it does not say which, or the webhook would map our network. */
export class RefusedAddressError extends Error {
  constructor() {
    super('The address is not one of the public internet.');
  }
}

/** Looks a name up for a connection, and fails where any of its addresses is refused. */
export const guardedLookup =
  (loopback: boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        callback(error ?? new RefusedAddressError(), []);
      } else if (addresses.some(({ address }) => !isAllowed(address, loopback))) {
        callback(new RefusedAddressError(), []);
      } else if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };

/**
 * What is wrong with a webhook's URL; null: nothing. Names are judged again at each connection.
 * @param loopback whether http to this machine itself is allowed: in development
 */
export function faultOfUrl(text: string, loopback: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || text.length > 2_000) {
    return 'Give a URL of at most 2000 characters, such as https://example.com/hooks.';
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return 'Leave out user names, passwords and fragments.';
  }
  const host = hostOf(url);
  const isHere =
    host === 'localhost' || (isIP(host) !== 0 && isAllowed(host, true) !== isAllowed(host, false));
  if (url.protocol !== 'https:' && !(loopback && isHere && url.protocol === 'http:')) {
    return loopback ? 'Use https, or http on this machine.' : 'Use https.';
  }
  if ((isHere && !loopback) || (isIP(host) !== 0 && !isAllowed(host, loopback))) {
    return 'The address is not one of the public internet.';
  }
  return null;
}

/** The host of a URL without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
