/** Where a browser places the pictures of a page, by their URLs: left edge, top edge, width and height in CSS px. */
export type Layout = {readonly [url: string]: Place};

type Place = readonly [left: number, top: number, width: number, height: number];

/**
 * Returns the layout of the page with this hash, or undefined if it is not known. It is known for the built-in pages:
 * Chromium 156 laid them out on a screen of 1024 × 768 px without scrollbars, when all their pictures had arrived. A
 * test repeats this and compares the places. Pages with equal hashes have equal layouts, so that they load equally.
 */
export function layoutOf(hash: string): Layout | undefined {
  return LAYOUTS.get(hash);
}

const GALLERY: {readonly [name: string]: Place} = {
  lighthouse: [18, 72, 489, 367],
  lake: [517, 72, 156, 117],
  dunes: [683, 72, 156, 117],
  planet: [850, 72, 156, 117],
  city: [517, 225, 156, 117],
  aurora: [683, 225, 156, 117],
  flower: [850, 225, 156, 117],
  balloons: [517, 378, 156, 117],
  boat: [683, 378, 156, 117],
  autumn: [850, 378, 156, 117],
};

const L06: {readonly [name: string]: Place} = {
  lighthouse: [132, 12, 760, 570],
  lake: [132, 592, 375, 281],
  dunes: [517, 592, 375, 281],
  planet: [132, 883, 375, 281],
  city: [517, 883, 375, 281],
};

const R02: {readonly [name: string]: Place} = {
  lighthouse: [62, 62, 122, 91],
  lake: [192, 62, 122, 91],
  dunes: [321, 62, 122, 91],
  planet: [451, 62, 122, 91],
  city: [581, 62, 122, 91],
  aurora: [711, 62, 122, 91],
  flower: [840, 62, 122, 91],
};

/** The pictures on the first two screens. Those further down are far from the first screen in any case. */
const TODAY: {readonly [name: string]: Place} = {
  'icon-lake.png': [40, 40, 32, 32],
  'icon-dunes.png': [72, 40, 32, 32],
  'icon-city.png': [104, 40, 32, 32],
  'icon-boat.png': [136, 40, 32, 32],
  'icon-autumn.png': [168, 40, 32, 32],
  'icon-flower.png': [200, 40, 32, 32],
  'icon-aurora.png': [232, 40, 32, 32],
  'icon-planet.png': [264, 40, 32, 32],
  'hero.jpg': [8, 168, 960, 420],
  'teaser-lake.jpg': [8, 628, 196, 147],
  'teaser-dunes.jpg': [208, 628, 196, 147],
  'teaser-city.jpg': [408, 628, 196, 147],
  'teaser-boat.jpg': [608, 628, 196, 147],
  'teaser-autumn.jpg': [808, 628, 196, 147],
  'sight-lake-1.jpg': [8, 879, 320, 240],
  'sight-dunes-1.jpg': [332, 879, 320, 240],
  'sight-city-1.jpg': [656, 879, 320, 240],
  'sight-boat-1.jpg': [8, 1123, 320, 240],
  'sight-autumn-1.jpg': [332, 1123, 320, 240],
  'sight-balloons-1.jpg': [656, 1123, 320, 240],
  'sight-flower-1.jpg': [8, 1367, 320, 240],
  'sight-aurora-1.jpg': [332, 1367, 320, 240],
};

const LAYOUTS: ReadonlyMap<string, Layout> = new Map([
  // gallery
  ['17d0142002d61747fe0510fa2dfd8fdb2b389fecb4840fbf14ac16735be733c4', gallery('jpg')],
  // gallery-15k
  ['21b921314b276b3e2e373a6e909779a7d8b097d96c493c8f64bebc1bb36a1627', gallery('jpg')],
  // gallery-3k
  ['ca96d7d2906ff5de5ac83c95eff0e7bdcc7f736305b14ba4f6ea1da84db4fecb', gallery('jpg')],
  // gallery-5k
  ['34c6a0d8ba0d4c934e4f42e30c0a235e3c395874fb29f2f44fb3a1be771b8f66', gallery('jpg')],
  // gallery-baseline
  ['3fcb1f83f5f1cbbecdca12c5817258a6df1c3502e97b518bef07d57c8b0df558', gallery('jpg')],
  // gallery-png
  ['5698ac5ec63e751f6379dfc127dfe9969e37f43c4caf6d0ffeac3914f6784bae', gallery('png')],
  // gallery-png-interlaced
  ['719cdb7072241f801f429711eddbdd96e17024542c169fda4c2bf293bde3a35c', gallery('png')],
  // l06
  ['6af2b21010e31ddb8c473a138670327de228c5d195eaad5fee7ee5eae87fe72d', placed(L06, name => `/${name}.jpg`)],
  // r02
  ['ee0424ee02e04a1c596d7e959d850961baa40d24df90f30c8a7529269fb57871', placed(R02, name => `/${name}.jpg`)],
  // today
  ['f391cb1fa96b7f0c42357437c435e0edd1ed0b245d4946ccfbe3c51f6a6fb3e7', placed(TODAY, name => `/files/${name}`)],
]);

function placed(places: {readonly [name: string]: Place}, urlOf: (name: string) => string): Layout {
  return Object.fromEntries(Object.entries(places).map(([name, place]) => [urlOf(name), place]));
}

function gallery(type: 'jpg' | 'png'): Layout {
  return {...placed(GALLERY, name => `/${name}.${type}`), '/logo.png': [18, 17, 40, 40]};
}
