import type {Page} from '../../../app/page/page.ts';
import type {Held} from '../../../app/run/cause/held.ts';
import {wantsCalm} from '../../kit/wantsCalm.ts';
import type {Decode} from './decodePicture.ts';
import {ObjectImage} from './decodeQueue.ts';
import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';

/** A box on the screen, CSS px from the upper left corner of the paper, which is the visible part of the page. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Placing {
  /** The box of an object; undefined if the page has no box for it yet. */
  readonly placeOf: (object: number) => Box | undefined;
  /** The size of the paper. */
  readonly size: Pick<Box, 'width' | 'height'>;
  /** Whether pictures that no longer wait move to their places. Otherwise they vanish. */
  readonly isMoving: boolean;
}

/**
 * A layer over the page that shows what has arrived and waits behind lost packets. Each waiting picture looks as it
 * would look if the packets had arrived. It is in a dashed frame, slightly higher and further right than its place. A
 * cross marks each object whose packet was lost, with a line to every other picture that waits for this packet. The
 * layer depends only on what waits, except for the short movement of pictures whose packet has just arrived.
 */
export class WaitingLayer {
  readonly #holder: HTMLElement;
  readonly #page: Page;
  readonly #decode: Decode;
  readonly #pictures = new Map<number, WaitingPicture>();
  readonly #lines = document.createElementNS(SVG, 'svg');

  constructor(holder: HTMLElement, page: Page, decode: Decode) {
    this.#holder = holder;
    this.#page = page;
    this.#decode = decode;
    this.#lines.setAttribute('class', 'waiting-lines');
  }

  /** Decodes the pictures that wait. Resolves when they can be placed. */
  async decode({objects}: Held): Promise<void> {
    await Promise.all(objects.map(({object, bytes}) => this.#picture(object)?.image.want(bytes)));
  }

  /** Places the pictures and the lost packets. The pictures must be decoded. */
  place({packets, objects}: Held, {placeOf, size, isMoving}: Placing): void {
    const places = new Map<number, Box>();
    for (const {object} of objects) {
      const place = placeOf(object);
      if (place !== undefined && this.#pictures.has(object)) places.set(object, place);
    }
    const shown: Element[] = [];
    for (const [object, place] of places) {
      const element = this.#pictures.get(object)?.element;
      if (element === undefined) continue;
      lift(element, place, size);
      element.classList.remove('is-landing');
      shown.push(element);
    }
    const landing = this.#landing(new Set(places.keys()), isMoving);
    const crosses = new Map<number, Element>();
    const lines: Element[] = [];
    for (const {object, waiting} of packets) {
      const from = crossPlace(placeOf(object), size);
      crosses.set(object, crosses.get(object) ?? crossAt(from));
      for (const each of waiting) {
        const place = places.get(each);
        if (place !== undefined && each !== object) lines.push(lineTo(from, middleOf(place)));
      }
    }
    this.#lines.replaceChildren(...lines);
    const all = [...landing, ...shown, ...(packets.length === 0 ? [] : [this.#lines]), ...crosses.values()];
    // if the elements are the same, they are not put in again, because an element that is put in is painted again
    if (all.length !== this.#holder.childElementCount || all.some((each, i) => this.#holder.children[i] !== each))
      this.#holder.replaceChildren(...all);
  }

  release(): void {
    for (const {image} of this.#pictures.values()) image.release();
    this.#pictures.clear();
    this.#holder.replaceChildren();
  }

  /** Returns the pictures that no longer wait and move to their places. The caller removes those that do not move. */
  #landing(waiting: ReadonlySet<number>, isMoving: boolean): readonly Element[] {
    const landing: Element[] = [];
    for (const [object, {element}] of this.#pictures) {
      if (waiting.has(object) || !element.isConnected) continue;
      if (!element.classList.contains('is-landing')) {
        if (!isMoving || wantsCalm()) continue;
        element.classList.add('is-landing');
        element.addEventListener('animationend', () => element.remove(), {once: true});
      }
      landing.push(element);
    }
    return landing;
  }

  /** The picture of an object. Undefined if the object is not a picture. */
  #picture(object: number): WaitingPicture | undefined {
    const known = this.#pictures.get(object);
    if (known !== undefined) return known;
    const {body = null, contentType = ''} = this.#page.objects[object] ?? {};
    if (body === null || !contentType.startsWith('image/')) return undefined;
    const element = document.createElement('div');
    element.className = 'waiting-picture';
    element.dataset['waiting'] = String(object);
    const img = document.createElement('img');
    img.alt = '';
    element.append(img);
    const decode = (bytes: number) => this.#decode({body, contentType}, bytes);
    const image = new ObjectImage(body.length, decode, async address => {
      const isThere = address !== EMPTY_IMAGE && address !== BROKEN_IMAGE;
      img.hidden = !isThere;
      if (!isThere || img.src === address) return;
      img.src = address;
      await img.decode().catch(() => undefined);
    });
    const picture = {element, image};
    this.#pictures.set(object, picture);
    return picture;
  }
}

interface WaitingPicture {
  readonly element: HTMLElement;
  readonly image: ObjectImage;
}

/** Shifts a picture up and right from its box, but not over the edge of the paper, where it would be cut off. */
function lift(element: HTMLElement, {left, top, width, height}: Box, paper: Placing['size']): void {
  const x = Math.min(left + LIFT_PX, Math.max(left, paper.width - width));
  const y = Math.max(top - LIFT_PX, Math.min(top, 0));
  const {style} = element;
  style.width = `${width}px`;
  style.height = `${height}px`;
  style.translate = `${x}px ${y}px`;
  style.setProperty('--landing', `${left}px ${top}px`);
}

/**
 * Where the cross of a lost packet is: in the middle of the object's box, or at the top of the paper if the object has
 * no box. A cross that would be outside of the paper is moved to its edge.
 */
function crossPlace(box: Box | undefined, {width, height}: Placing['size']): Point {
  const {x, y} = box === undefined ? {x: width / 2, y: 0} : middleOf(box);
  const clamp = (value: number, most: number): number => Math.max(EDGE_PX, Math.min(value, most - EDGE_PX));
  return {x: clamp(x, width), y: clamp(y, height)};
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function middleOf({left, top, width, height}: Box): Point {
  return {x: left + width / 2, y: top + height / 2};
}

function crossAt({x, y}: Point): Element {
  const element = document.createElement('span');
  element.className = 'waiting-packet';
  element.textContent = '✕';
  element.style.translate = `calc(${x}px - 50%) calc(${y}px - 50%)`;
  return element;
}

function lineTo(from: Point, to: Point): Element {
  const line = document.createElementNS(SVG, 'line');
  for (const [name, value] of Object.entries({x1: from.x, y1: from.y, x2: to.x, y2: to.y}))
    line.setAttribute(name, String(Math.round(value)));
  return line;
}

const SVG = 'http://www.w3.org/2000/svg';
/** How far a picture is shifted up and right from its place. */
const LIFT_PX = 5;
/** The least distance of a cross from the edge of the paper. */
const EDGE_PX = 12;
