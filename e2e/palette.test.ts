import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

describe.skipIf(whySkipped !== '')(`the palette${whySkipped}`, () => {
  let window: TestWindow;
  beforeAll(async () => {
    window = await openUnmeasuredWindow();
  });
  afterAll(() => window.close());
  beforeEach(async () => {
    await window.page.keyboard.press('Escape');
    await window.page.keyboard.press('Control+k');
  });
  const field = () => window.page.getByRole('combobox', {name: 'command, preset, page or setting'});
  const active = async () => {
    const id = await field().getAttribute('aria-activedescendant');
    return window.page.locator(`[id="${id}"]`).textContent();
  };

  test('opens by its key while another field has the focus, and its own field keeps the focus while arrow keys choose', async () => {
    const {page} = window;
    await page.keyboard.press('Escape');
    await page.getByLabel('t in seconds').focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme');
    expect(await active()).toBe('Theme: dark');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('dialog').getByRole('option', {selected: true}).textContent()).toBe('Theme: light');
    expect(await field().evaluate(each => each === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByRole('dialog').waitFor({state: 'hidden'});
    // what was used last comes first
    await page.keyboard.press('Control+k');
    expect(await active()).toBe('Theme: dark');
  });

  test('sets a setting to a value, and says why a value is refused', async () => {
    const {page} = window;
    await field().fill('loss 200');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('dialog').getByRole('alert').textContent()).toBe(
      'Loss is 200 %: must be a number from 0 to 100 %',
    );
    await field().fill('loss 5');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({state: 'hidden'});
    expect(await page.getByLabel('Loss', {exact: true}).inputValue()).toBe('5');
    await expect
      .poll(() => page.getByLabel('Preset').evaluate(textOfSelect))
      .toMatch(/^Changed: The movies of Natarajan/);
  });

  test('goes to the field of a setting, even if it is folded and the settings are closed', async () => {
    const {page} = window;
    await page.keyboard.press('Escape');
    await page.getByRole('button', {name: 'Settings'}).click();
    await page.keyboard.press('Control+k');
    await field().fill('queue');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByLabel('Queue', {exact: true}).evaluate(each => each === document.activeElement))
      .toBe(true);
  });

  test('opens a preset, which the settings then show; a choice in their own list takes the focus off it', {
    tags: ['long'],
  }, async () => {
    const {page} = window;
    await field().fill('web bad wifi');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('web-wifi-bad');
    await page.locator('html[data-state=ready]').waitFor();
    // after a choice in the list of the settings, the list no longer has the focus, even if keys made the choice
    const preset = page.getByLabel('Preset');
    await preset.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => preset.inputValue()).toBe('upload');
    expect(await preset.evaluate(each => each === document.activeElement)).toBe(false);
  });
});

function textOfSelect(each: HTMLElement | SVGElement): string {
  return (each as HTMLSelectElement).selectedOptions[0]?.textContent ?? '';
}
