"""The days on which the office works: the weekdays of Berlin, without its public holidays."""

from gnomon.calendars import Country

OFFICE = Country("DE", subdivision="BE")
