import type {Browser} from '../../browsers/browser.ts';
import type {BrowserName} from '../../browsers/list.ts';
import {PLAIN_RULES, plain as plainBrowser} from '../../browsers/plain.ts';
import {type Certificate, documentOrigin, type Origins, originsOf} from '../../page/origins.ts';
import {outlineOf} from '../../page/outline.ts';
import type {Page} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import type {ServerName} from '../../servers/list.ts';
import {plain as plainServer} from '../../servers/plain.ts';
import type {Server} from '../../servers/server.ts';
import type {TraceModels} from '../trace/traceData.ts';
import {placesOf} from './places.ts';

/**
 * The options of a load that choose its models: how its browser and its server behave, which hosts share a server, and
 * how long the look-up of a host name takes. A browser or server that is absent is the plain one.
 */
export interface ModelOptions {
  readonly browser?: Browser;
  readonly server?: Server;
  /**
   * Which hosts are on the same server, with the same certificate: see `Scenario.certificate`. The default is `host`.
   */
  readonly certificate?: Certificate;
  /** The time that the client needs to look up a host name for the first time. */
  readonly dnsNs?: number;
}

/** The models of a load, and the origins and places that follow from them for the page. */
export interface Models {
  readonly browser: Browser;
  readonly server: Server;
  readonly origins: Origins;
  /**
   * The places to which requests go: servers with connections of their own (`NamedPlace`). Undefined if there is only
   * one place and the look-up of its name takes no time, or if the pipeline loads all origins from one server.
   */
  readonly places: ReturnType<typeof placesOf>;
}

/**
 * Returns the models of a load. Everything is requested from one origin if the browser is the plain one, or if the
 * pipeline loads all origins from one server.
 */
export function modelsOf(page: Page, pane: Pane, options: ModelOptions): Models {
  const {browser = plainBrowser, server = plainServer, certificate = 'host', dnsNs = 0} = options;
  const pipeline = pipelineOf(pane.pipeline);
  const isSplit = browser.rules !== undefined && pipeline.hasOrigins === true;
  const origins = isSplit ? originsOf(page) : {names: [documentOrigin(page)], of: [0]};
  const places = pipeline.hasOrigins
    ? placesOf({
        origins,
        outline: outlineOf(page),
        rules: browser.rules ?? PLAIN_RULES,
        certificate,
        coalesces: pipeline.hasPriorities === true,
        dnsNs,
      })
    : undefined;
  return {browser, server, origins, places};
}

/** Returns the names of the models for the trace. */
export function namesOf({browser, server}: Models): TraceModels {
  return {
    ...(browser.rules === undefined ? {} : {browser: browser.name as BrowserName}),
    ...(server === plainServer ? {} : {server: server.name as ServerName}),
  };
}
