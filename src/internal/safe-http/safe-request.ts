import type { LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import type { Deadline } from './deadline.ts';
import type { Undici } from './load-undici.ts';
import { parseUrl } from './parse-url.ts';
import { readBody } from './read-body.ts';
import { type HostAddress, isAddress, type Resolver, resolveHost } from './resolve-host.ts';
import { SafeHttpError } from './safe-http-error.ts';

/** What a request goes over. */
export interface Wire {
  readonly undici: Undici;
  readonly resolve: Resolver;
  /** Where a connection to an allowed address ends. Tests lead public ones to a local server by it. */
  readonly dial?: (address: HostAddress) => HostAddress;
  /** Whom TLS trusts. Default: whom the process trusts. */
  readonly ca?: string;
}

export interface SafeRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly allowPrivateNetwork: boolean;
  /** True to go through the proxy that the variables of the process name, where they name one for this address. */
  readonly trustProxy: boolean;
  /** Of the answer, once it is decoded. */
  readonly maxAnswerBytes: number;
}

export interface SafeAnswer {
  readonly status: number;
  readonly text: string;
  /** False where the answer went on beyond `maxAnswerBytes`. */
  readonly isWhole: boolean;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends one request, once, and follows at most three redirects on the same origin. The name is looked up once, every
 * address of it has to be allowed, and only these are connected to. A connection of its own: none that was kept could
 * break over a request that must not be sent twice. No proxy is used and no variable of the process read, unless the
 * request trusts the proxy: then that one looks the name up, and only what goes past it is checked here. Throws a
 * `SafeHttpError`; quotes nothing.
 */
export async function safeRequest(
  wire: Wire,
  request: SafeRequest,
  deadline: Deadline,
): Promise<SafeAnswer> {
  const { url, allowPrivateNetwork, trustProxy } = request;
  const find = (): Promise<readonly HostAddress[]> =>
    resolveHost(url, wire.resolve, allowPrivateNetwork);
  // A proxy looks names up itself; an address it would only pass on.
  const addresses = trustProxy && !isAddress(url) ? undefined : await deadline.race(find());
  const line = new Line(wire, addresses ?? find, trustProxy);
  try {
    return await follow(line, request, deadline);
  } catch (error) {
    throw problemOf(deadline.error ?? error, line.mayHaveSent);
  } finally {
    await line.end();
  }
}

/** The connections of one delivery. */
class Line {
  readonly #wire: Wire;
  readonly #agent: Dispatcher;
  readonly #trustProxy: boolean;
  #direct: 'never tried' | 'failed' | 'connected' = 'never tried';

  constructor(wire: Wire, addresses: Addresses, trustProxy: boolean) {
    this.#wire = wire;
    this.#trustProxy = trustProxy;
    const { buildConnector, Agent, EnvHttpProxyAgent } = wire.undici;
    const { ca, dial = (address) => address } = wire;
    const trusted = { ...(ca !== undefined && { ca }), allowH2: false };
    // The deadline is over every part of it.
    const connector = buildConnector({
      ...trusted,
      lookup: pinnedLookup(addresses, dial),
      timeout: 0,
    });
    const options: Agent.Options = {
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      allowH2: false,
      connect: (target, callback) =>
        connector(target, (error, socket) => {
          if (error !== null) {
            if (this.#direct === 'never tried') this.#direct = 'failed';
            return callback(error, null);
          }
          this.#direct = 'connected';
          return callback(null, socket);
        }),
    };
    this.#agent = trustProxy
      ? throughProxy(() => new EnvHttpProxyAgent({ ...options, requestTls: trusted }))
      : new Agent(options);
  }

  request(url: URL, request: SafeRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#wire.undici.request(url, {
      dispatcher: this.#agent,
      method: request.method as Dispatcher.HttpMethod, // any token; the client checks it
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
  }

  /** True as long as something may have been sent: a proxy tells nobody how far it came. */
  get mayHaveSent(): boolean {
    return this.#direct === 'connected' || (this.#trustProxy && this.#direct === 'never tried');
  }

  end(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Found and checked before, or what finds and checks them once they are needed. */
type Addresses = readonly HostAddress[] | (() => Promise<readonly HostAddress[]>);

/** Answers nothing but addresses that were checked, whoever asks, in both forms that there are. */
function pinnedLookup(
  addresses: Addresses,
  dial: (address: HostAddress) => HostAddress,
): LookupFunction {
  return (_hostname, options, callback) => {
    const answer = (found: readonly HostAddress[]): void => {
      const dialled = found.map(dial);
      const [first = { address: '', family: 4 }] = dialled;
      if (options.all === true) callback(null, dialled);
      else callback(null, first.address, first.family);
    };
    if (typeof addresses !== 'function') answer(addresses);
    else addresses().then(answer, (error: Error) => callback(error, ''));
  };
}

/** The address of a proxy may hold a password, and so may what is said about it. */
function throughProxy(make: () => Dispatcher): Dispatcher {
  try {
    return make();
  } catch {
    const words = 'the proxy that the variables of the process name has no usable address';
    throw new SafeHttpError('failed', words);
  }
}

async function follow(line: Line, first: SafeRequest, deadline: Deadline): Promise<SafeAnswer> {
  let request = first;
  for (let hops = 0; ; hops += 1) {
    const { statusCode, headers, body } = await line.request(request.url, request, deadline.signal);
    const location = headers['location'];
    if (!REDIRECTS.has(statusCode) || typeof location !== 'string') {
      const encoding = [headers['content-encoding'] ?? ''].flat().join(',');
      // Read beside the deadline: a decoder that waits for more does not hear of it.
      const read = await deadline.race(readBody(body, encoding, first.maxAnswerBytes));
      return { status: statusCode, ...read };
    }
    // Nobody reads it, and what becomes of it counts for nothing.
    body.on('error', () => undefined).destroy();
    if (hops === MAX_REDIRECTS)
      throw new SafeHttpError('refused', `it redirects more than ${MAX_REDIRECTS} times`);
    request = redirected(request, statusCode, location);
  }
}

/** As browsers do it: 303 asks for another page, and so do, for a POST, the two that were always taken for it. */
function redirected(request: SafeRequest, status: number, location: string): SafeRequest {
  const url = sameOrigin(request.url, location);
  const keeps = status >= 307 || (status !== 303 && request.method !== 'POST');
  if (keeps || request.method === 'GET' || request.method === 'HEAD') return { ...request, url };
  const { body: _body, ...rest } = request;
  return { ...rest, url, method: 'GET', headers: withoutBody(request.headers) };
}

/** Where credentials and a checked address may go on to: nowhere but to where they were meant for. */
function sameOrigin(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  // A fragment stays in the browser, and has no meaning here.
  if (to !== undefined) to.hash = '';
  const problem = to === undefined || 'problem' in parseUrl(to.href, { allowHttp: true });
  if (to === undefined || problem || to.origin !== from.origin)
    throw new SafeHttpError('refused', 'it redirects to another origin');
  return to;
}

const OF_A_BODY: readonly string[] = ['content-type', 'x-signature-256'];

function withoutBody(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_A_BODY.includes(name.toLowerCase())),
  );
}

function problemOf(error: unknown, wasSent: boolean): SafeHttpError {
  if (error instanceof SafeHttpError) {
    return new SafeHttpError(error.problem, error.message, { cause: error.cause, wasSent });
  }
  const words = wasSent
    ? 'the connection broke before its answer was read'
    : 'it cannot be connected to';
  return new SafeHttpError('failed', words, { cause: error, wasSent });
}
