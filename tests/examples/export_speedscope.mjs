// export_speedscope.mjs - opens a file in speedscope's own page, in headless
// Chromium, and prints what that shows: for each profile "profile TOTAL NAME" as
// the list of profiles has it, and "TOTAL SELF NAME" of each function.
//
//   node export_speedscope.mjs FILE
//
// From the environment: CHROMIUM, the browser's path; NODE_PATH, where
// playwright-core and speedscope are; TMPDIR.
// SPDX-License-Identifier: MIT

import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';

const require = createRequire(import.meta.url);
const {chromium} = require('playwright-core');
const viewer = join(dirname(require.resolve('speedscope/package.json')),
  'dist/release/index.html');
const script = join(process.env.TMPDIR, 'profile.js');
const file = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});

// The rows of the tables of one profile, opened as speedscope's command does.
async function show(index) {
  const text = JSON.stringify({...file, activeProfileIndex: index});
  writeFileSync(script, 'speedscope.loadFileFromBase64("profile.json", "'
    + Buffer.from(text).toString('base64') + '")');
  const page = await browser.newPage({viewport: {width: 1400, height: 2000}});
  page.on('pageerror', error => console.log('error ' + error));
  await page.goto('file://' + viewer + '#localProfilePath=' + script);
  await page.waitForSelector('text=Sandwich');
  await page.keyboard.press('3');
  await page.waitForSelector('text=Symbol Name');
  const rows = await page.$$eval('tr', rows => rows.map(
    row => [...row.cells].map(cell => cell.textContent)));
  await page.close();
  return rows;
}

for (let i = 0; i < file.profiles.length; i++) {
  const rows = await show(i);
  const head = rows.findIndex(row => row[2] === 'Symbol Name');
  if (i === 0 && file.profiles.length > 1)
    for (const [, name, total] of rows.slice(1, head))
      console.log('profile ' + total + ' ' + name);
  for (const [total, self, name] of rows.slice(head + 1))
    if (name !== undefined)
      console.log([total, self].map(t => t.split(' ')[0].replace(/,/g, ''))
        .join(' ') + ' ' + name);
}
await browser.close();
