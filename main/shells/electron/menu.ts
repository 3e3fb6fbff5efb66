import {type BrowserWindow, Menu, type MenuItemConstructorOptions} from 'electron';

/**
 * Gives the program the menus that its system expects. On macOS the first menu is that of the program, with About, Hide
 * and Quit. On Windows and Linux the menu bar is hidden until Alt is pressed. Call this once Electron is ready.
 */
export function setupMenu(window: BrowserWindow): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, key => press(window, key))));
}

/**
 * Returns the template of the menus. Some items press a key of the window's page, by calling `press`. The menus only
 * show these keys, because the page itself listens to the keyboard.
 */
function menuTemplate(platform: NodeJS.Platform, press: (key: PressedKey) => void): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const item = (label: string, accelerator: string, key: PressedKey): MenuItemConstructorOptions => ({
    label,
    accelerator,
    registerAccelerator: false,
    click: () => press(key),
  });
  return [
    // with About, Services, Hide, Hide Others, Show All and Quit
    ...(isMac ? [{role: 'appMenu'} as const] : []),
    {
      label: '&File',
      submenu: [
        item('&Open…', 'CmdOrCtrl+O', {key: 'o', isCtrl: true}),
        item('&Save Scenario', 'CmdOrCtrl+S', {key: 's', isCtrl: true}),
        {type: 'separator'},
        isMac ? {role: 'close'} : {role: 'quit'},
      ],
    },
    {
      label: '&Edit',
      submenu: [
        // Electron's roles for undo and redo act only on text fields
        item('&Undo', 'CmdOrCtrl+Z', {key: 'z', isCtrl: true}),
        item('&Redo', 'Shift+CmdOrCtrl+Z', {key: 'Z', isCtrl: true, isShift: true}),
        {type: 'separator'},
        {role: 'cut'},
        {role: 'copy'},
        {role: 'paste'},
        {role: 'selectAll'},
        {type: 'separator'},
        item('&Find Command…', 'CmdOrCtrl+K', {key: 'k', isCtrl: true}),
      ],
    },
    {
      label: '&View',
      submenu: [
        item('&Presenter Mode', 'P', {key: 'p'}),
        item('&Settings', 'C', {key: 'c'}),
        item('&Theme', 'T', {key: 't'}),
        {type: 'separator'},
        {role: 'reload'},
        {role: 'toggleDevTools'},
        {type: 'separator'},
        {role: 'resetZoom'},
        {role: 'zoomIn'},
        {role: 'zoomOut'},
        {type: 'separator'},
        {role: 'togglefullscreen'},
      ],
    },
    ...(isMac ? [{role: 'windowMenu'} as const] : []),
    {
      role: 'help',
      label: '&Help',
      submenu: [
        item('&Keys and Explanations', '?', {key: '?', isShift: true}),
        ...(isMac ? [] : [{type: 'separator'} as const, {role: 'about'} as const]),
      ],
    },
  ];
}

/** One of the window's keys, as in `KeyboardEvent`. */
export interface PressedKey {
  readonly key: string;
  readonly isCtrl?: boolean;
  readonly isShift?: boolean;
}

/**
 * Presses a key in the window's page. The target of the event is the object `window` instead of the focused element, so
 * the key has its effect even if a text field has the focus.
 */
function press(window: BrowserWindow, {key, isCtrl = false, isShift = false}: PressedKey): void {
  const init = JSON.stringify({key, ctrlKey: isCtrl, shiftKey: isShift});
  void window.webContents.executeJavaScript(`void window.dispatchEvent(new KeyboardEvent('keydown', ${init}))`);
}
