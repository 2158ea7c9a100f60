import { describe, expect, it } from 'vitest'
import { site, type SiteSettings } from './site'
import { checkSite } from './site-schema.server'

const withFiles = (files: Partial<SiteSettings['files']>) => ({ ...site, files: { ...site.files, ...files } })
const withTasks = (tasks: Partial<SiteSettings['tasks']>) => ({ ...site, tasks: { ...site.tasks, ...tasks } })

describe('the site’s settings', () => {
  it('are valid as they come', () => {
    expect(checkSite(site)).toEqual(site)
  })

  it.each<[string, SiteSettings]>([
    ['name', { ...site, name: '' }],
    ['name', { ...site, name: 'x'.repeat(41) }],
    ['cookiePrefix', { ...site, cookiePrefix: '' }],
    ['cookiePrefix', { ...site, cookiePrefix: 'a=b; Path=/' }],
    ['cookiePrefix', { ...site, cookiePrefix: '1st' }],
    ['storagePrefix', { ...site, storagePrefix: '' }],
    ['storagePrefix', { ...site, storagePrefix: 'no-slash' }],
    ['storagePrefix', { ...site, storagePrefix: '../' }],
    ['files.maxBytes', withFiles({ maxBytes: 0 })],
    ['files.maxBytes', withFiles({ maxBytes: 17 * 1024 * 1024 })],
    ['files.quotaBytes', withFiles({ quotaBytes: -1 })],
    ['files.maxCount', withFiles({ maxCount: 1.5 })],
    ['files.retentionDays', withFiles({ retentionDays: 0 })],
    ['files.writesPerMinute', withFiles({ writesPerMinute: Infinity })],
    ['tasks.maxActive', withTasks({ maxActive: 0 })],
    ['tasks.maxAttempts', withTasks({ maxAttempts: 101 })],
    ['tasks.readsPerMinute', withTasks({ readsPerMinute: NaN })],
    ['prices.text-normalize', { ...site, prices: { 'text-normalize': -1 } }],
    ['prices.text-normalize', { ...site, prices: { 'text-normalize': 0.5 } }],
  ])('are refused with the name of what is wrong: %s', (name, settings) => {
    expect(() => checkSite(settings)).toThrow(new RegExp(`^  ${name.replaceAll('.', '\\.')}: `, 'm'))
  })

  it('are refused with one that nobody knows, which would be a typing error without effect', () => {
    expect(() => checkSite({ ...site, cookiePrefx: 'mine' } as SiteSettings)).toThrow(
      /^ {2}site: .*cookiePrefx/m,
    )
    expect(() => checkSite(withTasks({ maxActiv: 5 } as Partial<SiteSettings['tasks']>))).toThrow(
      /^ {2}tasks: .*maxActiv/m,
    )
  })
})
