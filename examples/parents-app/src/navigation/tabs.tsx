import { createBottomTabNavigator } from '@react-navigation/bottom-tabs'
import { useNavigation } from '@react-navigation/native'
import { useEffect } from 'react'
import { StyleSheet } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { useForeground } from '../companion/use-foreground'
import { useFollowOutbox } from '../companion/use-outbox'
import { useLanguage } from '../i18n/language'
import { useChildren } from '../companion/queries'
import { reports } from '../report/reports'
import { forgetShared } from '../report/share-file'
import { CalendarScreen } from '../screens/calendar'
import { ReportScreen } from '../screens/report'
import { SettingsScreen } from '../screens/settings'
import { TodayScreen } from '../screens/today'
import { TrendsScreen } from '../screens/trends'
import { usePendingLink } from '../sharing/pending-link'
import { useFollowShared } from '../sharing/use-followed'
import { usePalette } from '../theme/use-palette'
import { Icon } from '../ui/icon'
import type { IconName } from '../ui/icon'
import { Words } from '../ui/words'

const Tab = createBottomTabNavigator()

const iconed = (name: IconName) => ({
  tabBarIcon: ({ color }: { color: string }) => <Icon name={name} color={color} />,
})

const icons = {
  today: iconed('today'),
  trends: iconed('trends'),
  calendar: iconed('calendar'),
  report: iconed('report'),
  settings: iconed('settings'),
}

export function Tabs() {
  const { t } = useLanguage()
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  useFollowOutbox()
  useFollowShared()
  useForeground()
  const navigation = useNavigation()
  const { link, done } = usePendingLink()
  useEffect(() => {
    if (link === undefined) return undefined
    // The navigator takes no action before it has mounted, which it does after its screens.
    const soon = setTimeout(() => {
      done()
      const { kind, code } = link
      if (kind === 'invitation') navigation.navigate('AcceptInvitation', { code })
      else navigation.navigate('ConnectClinic', { code })
    })
    return () => clearTimeout(soon)
  }, [link, done, navigation])
  const family = useChildren().data
  useEffect(() => {
    // A child may have been deleted, or is no longer shared with the account.
    if (family) void reports.forget(family.map(({ id }) => id))
  }, [family])
  useEffect(() => {
    forgetShared()
    return forgetShared
  }, [])
  return (
    <Tab.Navigator
      screenOptions={{
        headerShown: false,
        // Beside each other, icon and name would touch on a tablet.
        tabBarLabelPosition: 'below-icon',
        tabBarActiveTintColor: palette.accent,
        tabBarInactiveTintColor: palette.muted,
        tabBarLabel: ({ color, children }) => (
          // Enlarged, five names would not fit side by side.
          <Words numberOfLines={1} maxFontSizeMultiplier={1} style={[styles.label, { color }]}>
            {children}
          </Words>
        ),
        tabBarStyle: {
          height: 44 + styles.label.lineHeight + insets.bottom,
          paddingTop: 5,
          backgroundColor: palette.surface,
          borderTopColor: palette.line,
        },
      }}
    >
      <Tab.Screen name="Today" component={TodayScreen} options={{ title: t.tabs.today, ...icons.today }} />
      <Tab.Screen
        name="Trends"
        component={TrendsScreen}
        options={{ title: t.tabs.trends, ...icons.trends }}
      />
      <Tab.Screen
        name="Calendar"
        component={CalendarScreen}
        options={{ title: t.tabs.calendar, ...icons.calendar }}
      />
      <Tab.Screen
        name="Report"
        component={ReportScreen}
        options={{ title: t.tabs.report, ...icons.report }}
      />
      <Tab.Screen
        name="Settings"
        component={SettingsScreen}
        options={{ title: t.tabs.settings, ...icons.settings }}
      />
    </Tab.Navigator>
  )
}

const styles = StyleSheet.create({
  label: { fontSize: 11, lineHeight: 15, fontWeight: '500', marginHorizontal: -5 },
})
