import {join} from 'node:path';

/**
 * Fuses are switches in Electron's program file that cannot be changed later without breaking its signature
 * (https://www.electronjs.org/docs/latest/tutorial/fuses). The names are electron-builder's.
 */
export const FUSES = {
  // the program starts its own processes as utility processes (main/shells/electron/utilityProcess.ts)
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  // has an effect on macOS and Windows only
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  // The program has no cookies. With this fuse Chromium would ask the keychain for a key at the first start.
  enableCookieEncryption: false,
  loadBrowserProcessSpecificV8Snapshot: false,
  // the window's page has the scheme app:, and no page has the scheme file:
  grantFileProtocolExtraPrivileges: false,
};

/** The scheme of links to scenarios. */
const SCHEME = 'interleave';

/** @typedef {{ext: string, name: string, description: string, mimeType: string}} FileKind */

/**
 * The kinds of files that the program opens, with their endings on Linux, where an ending may have several dots.
 * @type {readonly FileKind[]}
 */
const FILE_KINDS = [
  {
    ext: 'interleave.json',
    name: 'Interleave scenario',
    description: 'Scenario of Interleave',
    mimeType: type('scenario'),
  },
  {ext: 'story.json', name: 'Interleave story', description: 'Story of Interleave', mimeType: type('story')},
  {ext: 'trace', name: 'Interleave trace', description: 'Trace of Interleave', mimeType: type('trace')},
  {
    ext: 'trace.gz',
    name: 'Interleave trace',
    description: 'Compressed trace of Interleave',
    mimeType: type('trace+gzip'),
  },
];

/** @param {string} name */
function type(name) {
  return `application/vnd.interleave.${name}`;
}

/**
 * The endings on macOS and Windows. They have one dot, because these systems look only at what follows the last dot.
 * For JSON and gzip files, macOS offers this program under 'Open with', and does not change the program that opens them
 * by default. On Windows, windows.nsh makes the system do the same.
 */
const TRACE = {ext: 'trace', name: 'Interleave trace', description: 'Trace of Interleave'};
const ALTERNATES = [
  {ext: 'json', name: 'Interleave scenario or story', description: 'Scenario or story of Interleave'},
  {ext: 'gz', name: 'Compressed Interleave trace', description: 'Compressed trace of Interleave'},
];

/**
 * Returns electron-builder's configuration.
 *
 * @param {{out: string, icon: string, electron?: {folder: string, version: string}, unpacked?: readonly string[], hasFuses?: boolean}} options
 *   `electron` is an unpacked Electron to use instead of the one that electron-builder downloads
 */
export function configuration({out, icon, electron, unpacked = [], hasFuses = true}) {
  return {
    appId: 'org.interleave.interleave',
    productName: 'Interleave',
    copyright: 'The Interleave authors (MIT licence)',
    directories: {output: out},
    ...(electron === undefined ? {} : {electronDist: electron.folder, electronVersion: electron.version}),
    electronLanguages: ['en-US'],
    ...(hasFuses ? {electronFuses: FUSES} : {}),
    asar: true,
    // The system's loader cannot load libraries out of an archive. When a file of a page is read, the size and the time
    // of the open file are compared with those of the file in its folder (main/files/folderFile.ts). That needs real
    // files.
    asarUnpack: ['fixtures/**', 'native/addon/*.node', 'node_modules/@img/**', ...unpacked],
    files: ['**/*'],
    // the addon and sharp are built for N-API, which is the same in Node and in Electron
    npmRebuild: false,
    // there is no updater: the program never asks whether there is a new version
    publish: null,
    icon,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in
    artifactName: 'interleave-${version}-${os}-${arch}.${ext}',
    protocols: [{name: 'Scenario of Interleave', schemes: [SCHEME], role: 'Viewer'}],
    linux: {
      target: ['AppImage', 'deb'],
      executableName: 'interleave',
      category: 'Education',
      synopsis: 'One web page over several transports, side by side',
      maintainer: 'The Interleave authors <interleave@localhost>',
      syncDesktopName: true,
      fileAssociations: FILE_KINDS,
    },
    mac: {
      target: ['dmg'],
      category: 'public.app-category.education',
      // without a certificate, electron-builder signs ad hoc, which Apple's processors require
      hardenedRuntime: true,
      fileAssociations: [
        {...TRACE, role: 'Viewer', rank: 'Owner'},
        ...ALTERNATES.map(each => ({...each, role: 'Viewer', rank: 'Alternate'})),
      ],
    },
    win: {
      target: ['nsis'],
      executableName: 'interleave',
      fileAssociations: [TRACE],
    },
    nsis: {
      oneClick: false,
      perMachine: false,
      allowToChangeInstallationDirectory: true,
      include: join(import.meta.dirname, 'windows.nsh'),
    },
  };
}
