import {expect, test} from 'vitest';
import {chosenLook, chosenMovie, chosenTimes, FIRST_CHOICE, type RecordChoice} from './recordChoice.ts';

const choice = (part: Partial<RecordChoice>): RecordChoice => ({...FIRST_CHOICE, ...part});

test('a comma is a decimal separator, but separates the times of a filmstrip', () => {
  expect(chosenMovie(choice({from: '1,5', to: '2.5'}))).toMatchObject({value: {fromS: 1.5, toS: 2.5}});
  expect(chosenTimes(choice({kind: 'still', at: '7,5'}))).toEqual({ok: true, value: [7.5e9]});
  expect(chosenTimes(choice({kind: 'filmstrip', at: '4, 7.5'}))).toEqual({ok: true, value: [4e9, 7.5e9]});
});

test('a text that is not a time is refused in one line', () => {
  const message = (part: Partial<RecordChoice>) => chosenTimes(choice(part));
  expect(message({kind: 'still', at: '4, 7'})).toEqual({
    ok: false,
    message: '‘at’ is 4, 7: it must be one time in seconds',
  });
  expect(message({kind: 'filmstrip', at: '4,,7'})).toMatchObject({
    message: expect.stringContaining('‘at’ is 4,,7'),
  });
  expect(message({kind: 'still', at: '-1'})).toMatchObject({ok: false});
  expect(chosenMovie(choice({to: 'noon'}))).toMatchObject({
    message: expect.stringMatching(/^to is "noon": /),
  });
});

test('the loss is the typed one, or none', () => {
  const lossOf = (loss: string) => chosenLook(choice({look: {...FIRST_CHOICE.look, loss}}));
  expect(lossOf(' ')).toMatchObject({value: {loss: null}});
  expect(lossOf('2:14 ')).toMatchObject({value: {loss: {pane: 1, number: 14}}});
  expect(lossOf('14')).toEqual({
    ok: false,
    message: 'loss is "14": must be PANE:NUMBER, both from 1, like 2:14',
  });
});

test('the title is the typed one, or the page’s name', () => {
  const titleOf = (pageTitle: string) => chosenLook(choice({look: {...FIRST_CHOICE.look, pageTitle}}));
  expect(titleOf(' ')).toMatchObject({value: {pageTitle: null}});
  expect(titleOf(' Our shop ')).toMatchObject({value: {pageTitle: 'Our shop'}});
  expect(titleOf('x'.repeat(81))).toMatchObject({
    message: expect.stringMatching(/^title is "x+.*: must be a text of 1 to 80 characters$/),
  });
});

test('a filmstrip can show the first screen, or scroll', () => {
  const scrollOf = (scroll: boolean) => chosenLook(choice({look: {...FIRST_CHOICE.look, scroll}}));
  expect(chosenLook(FIRST_CHOICE)).toMatchObject({value: {scroll: false}});
  expect(scrollOf(true)).toMatchObject({value: {scroll: true}});
});
